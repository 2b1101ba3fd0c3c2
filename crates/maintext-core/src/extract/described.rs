//! Finds the repeated parts of a page once: the posts of a thread, readers' comments, the entries of a list, and the kind of page that they
//! imply.
use super::Extractor;
use crate::passes::thread;
use maintext_facts::fields::Fields;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_facts::metadata::{self, Found, Record, RecordModel};
use maintext_lists::list::{Group, Lists};
use maintext_lists::page_type::PageType;
use maintext_reading::choice::{Choice, ChosenBy};
use maintext_reading::method::{Favor, Method as _, View};
use maintext_reading::model::Learned;

/// The repeated parts of a page. A page with entries has no posts.
#[derive(Default)]
pub(super) struct Described {
    /// Posts, and comments that are separate from the text.
    pub found: Found,
    /// Readers' comments to report.
    pub comments: Vec<Record>,
    /// The kind of page, if it was asked for or decides about posts.
    pub kind: Option<PageType>,
    /// The groups of entries.
    pub groups: Vec<Group>,
}

impl Extractor {
    /// Finds the repeated parts of a page. `choice` is the method's.
    pub(super) fn describe(&self, view: &View<'_>, facts: Option<&Facts<'_>>, choice: &Choice) -> Described {
        let kind = if self.options.page_type { self.kind_of(view, choice).ok() } else { None };
        self.describe_as(kind, view, facts, choice)
    }

    /// Finds the repeated parts of a page of this kind; without it, only if they decide about posts.
    pub(super) fn describe_as(
        &self,
        kind: Option<PageType>,
        view: &View<'_>,
        facts: Option<&Facts<'_>>,
        choice: &Choice,
    ) -> Described {
        let mut described = Described { kind, ..self.records(facts, choice) };
        let Described { found, kind, groups, .. } = &mut described;
        // Posts and the rows of a list look alike. So if there are posts, the kind of page and its entries decide about them, even if the
        // caller requested neither.
        if kind.is_none() && !found.posts.is_empty() {
            *kind = self.kind_of(view, choice).ok();
        }
        if let Some(kind) = kind {
            *groups = self.groups(view, choice, kind);
            if thread::is_thread(&found.posts, groups, &kind.probabilities) {
                groups.clear();
            } else if !groups.is_empty() {
                found.posts.clear();
            }
            let is_guess = view.blocks.is_empty() && groups.is_empty();
            kind.page_type = (!is_guess).then(|| kind.among(!groups.is_empty()));
        }
        described
    }

    /// Finds posts and readers' comments.
    fn records(&self, facts: Option<&Facts<'_>>, choice: &Choice) -> Described {
        let is_whole = choice.by == ChosenBy::WholeDocument;
        if !self.options.comments || is_whole {
            return Described::default();
        }
        let Some(facts) = facts else { return Described::default() };
        // Tests load the shipped model, so this cannot fail in a release.
        let Some(model) = self.record_model.clone().or_else(|| RecordModel::shipped().ok()) else {
            return Described::default();
        };
        let found = metadata::records(facts, choice, &model);
        let wanted = self.options.fields.has(Fields::COMMENTS);
        let comments = if wanted { metadata::comments(facts, choice, &model, &found) } else { Vec::new() };
        Described { found, comments, ..Described::default() }
    }

    /// Finds the groups of entries, if the page is a list.
    fn groups(&self, view: &View<'_>, choice: &Choice, kind: &PageType) -> Vec<Group> {
        let lists =
            self.lists.get_or_init(|| if cfg!(feature = "lists") { Lists::named("learned").ok() } else { None });
        let Some(lists) = lists else { return Vec::new() };
        let judged = match Learned::shipped() {
            Ok(model) if !self.judges_by_shipped_model() => Some(model.judge(view, Favor::Balance)),
            _ => None,
        };
        lists.confident(view, judged.as_ref().unwrap_or(choice), kind.list, &kind.probabilities)
    }
}
