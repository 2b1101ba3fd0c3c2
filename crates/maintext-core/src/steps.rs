//! The steps that turn a method's choice into the main content of a page, in their order.
//!
//! Before these run [`Step::Method`], [`Step::Neighbours`] and [`Step::Favor`], which belong to the method. Nothing else changes a choice.
use crate::options::Options;
use crate::passes::{
    accordions, announced, articles, boxes, buttons, declared, headings, labels, lead, legal, noscript, notes, polls,
    price, records, requests, tables, tabs, thread,
};
use maintext_facts::metadata::Found;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_facts::rules::Picked;
use maintext_reading::choice::{Choice, ChosenBy, Step};
use maintext_reading::method::View;
use maintext_render::keep::{drop_menus, drop_rows};

/// A page, as the steps see it.
pub(crate) struct StepView<'a> {
    /// The page.
    pub view: View<'a>,
    /// Its statements, if they were read.
    pub facts: Option<&'a Facts<'a>>,
    /// Its posts and comments.
    pub found: &'a Found,
    /// What the caller's selectors pick.
    pub picked: &'a Picked,
    /// The settings.
    pub options: &'a Options,
}

/// The steps in their order. Comments go before posts, because they may be part of the same group; boxes and notices are looked for only in
/// the remaining article; headings are judged after everything else; the caller's selectors decide last.
const STEPS: [fn(&StepView<'_>, &mut Choice); 7] =
    [set_comments_apart, keep_posts, keep_one_article, keep_parts_together, drop_notices, keep_notes, obey_caller];

/// Runs all steps. Only the caller's selectors change the choice of a whole document.
pub(crate) fn run(sight: &StepView<'_>, choice: &mut Choice) {
    if choice.by == ChosenBy::WholeDocument {
        obey_caller(sight, choice);
        return;
    }
    for step in STEPS {
        step(sight, choice);
    }
}

/// Drops readers' comments, unless the caller favors recall.
fn set_comments_apart(sight: &StepView<'_>, choice: &mut Choice) {
    if !sight.options.favor.sets_apart() {
        return;
    }
    choice.step_by_probability(Step::Comments, "a reader's comment", |probabilities, kept| {
        thread::set_apart(sight.found, sight.view.blocks, probabilities, kept);
    });
}

/// If the posts are the content, keeps their whole texts and drops everything around them.
fn keep_posts(sight: &StepView<'_>, choice: &mut Choice) {
    let (posts, blocks) = (&sight.found.posts, sight.view.blocks);
    if posts.is_empty() || !thread::covers(posts, blocks, choice.kept()) {
        return;
    }
    // The model drops short posts: whole ones gain 0.0064 on magic-html-forum (docs/experiments/content.md).
    choice.step(Step::Posts, "the text of a post, or not a part of one", |kept| {
        thread::keep_posts(posts, blocks, kept);
    });
}

/// Keeps the named article of an endless page, and drops the articles below it and rows of buttons.
fn keep_one_article(sight: &StepView<'_>, choice: &mut Choice) {
    if !sight.options.favor.sets_apart() {
        return;
    }
    let View { dom, blocks, .. } = sight.view;
    // Six of 5,751 pages, but magic-html-article gains 0.0063 (docs/experiments/content.md).
    choice.step(Step::Article, "another article than the one that the title names", |kept| {
        articles::keep_named(dom, blocks, &blocks.signs(dom).title, kept);
    });
    // The posts of a thread are articles with links to their authors.
    if sight.found.posts.is_empty() {
        choice.step(Step::Article, "a teaser of another article", |kept| {
            articles::drop_teasers(dom, blocks, &blocks.signs(dom).title, kept);
        });
        choice.step(Step::Article, "cards that lead to other articles", |kept| {
            articles::drop_linked_cards(blocks, kept);
        });
    }
    if let Some(facts) = sight.facts {
        choice.step(Step::Article, "below the declared question and its answers", |kept| {
            articles::drop_below_question(facts, kept);
        });
    }
    choice.step(Step::Article, "a row of buttons", |kept| drop_rows(dom, blocks, kept));
    choice.step(Step::Article, "a menu above or below the text", |kept| drop_menus(blocks, kept));
}

/// Keeps leads, prices, places and days with their heading, values with their labels, links with the sentence that announces them, panels, boxes
/// and tabs with their titles, and drops quotations that repeat the text.
fn keep_parts_together(sight: &StepView<'_>, choice: &mut Choice) {
    let View { dom, blocks, .. } = sight.view;
    choice.step_by_probability(Step::Parts, "a sentence between heading and text", |probabilities, kept| {
        lead::apply(dom, blocks, probabilities, kept);
    });
    if let Some(facts) = sight.facts {
        choice.step(Step::Parts, "the declared price of the product", |kept| price::apply(facts, kept));
        choice.step(Step::Parts, "the declared place or day of the event", |kept| declared::apply(facts, kept));
        choice.step(Step::Parts, "the declared description", |kept| declared::keep_description(facts, kept));
    }
    choice.step(Step::Parts, "a place on a map", |kept| declared::keep_places_on_map(dom, blocks, kept));
    choice.step(Step::Parts, "a price below its title", |kept| price::keep_below_titles(blocks, kept));
    choice.step_by_probability(Step::Parts, "a value with its label", |probabilities, kept| {
        headings::keep_values(blocks, probabilities, kept);
    });
    choice.step_by_probability(Step::Parts, "a panel with its title", |probabilities, kept| {
        accordions::apply(dom, blocks, probabilities, kept);
    });
    choice.step_by_probability(Step::Parts, "a box of prose in the text", |probabilities, kept| {
        boxes::keep_prose(dom, blocks, probabilities, kept);
    });
    choice.step_by_probability(Step::Parts, "links that a sentence announces", |probabilities, kept| {
        announced::apply(dom, blocks, probabilities, kept);
    });
    choice.step(Step::Parts, "the title of a box, the source of a quotation, or one that repeats the text", |kept| {
        boxes::keep_sources(blocks, kept);
        boxes::apply(dom, blocks, kept);
    });
    choice.step(Step::Parts, "the head of a table", |kept| tables::keep_heads(blocks, kept));
    choice.step(Step::Parts, "a tab with its panel", |kept| tabs::apply(dom, blocks, kept));
    let is_thread = !sight.found.posts.is_empty();
    choice.step_by_probability(Step::Parts, "a heading above kept text", |probabilities, kept| {
        headings::keep_above_text(dom, blocks, &blocks.signs(dom).title, is_thread, probabilities, kept);
    });
    if !is_thread {
        choice.step_by_probability(Step::Parts, "the title of an entry, like the others", |probabilities, kept| {
            headings::keep_alike(dom, blocks, &blocks.signs(dom).title, probabilities, kept);
        });
        choice.step_by_probability(
            Step::Parts,
            "a part of a record, like those of the others",
            |probabilities, kept| {
                records::keep_alike(dom, blocks, probabilities, kept);
            },
        );
    }
}

/// Drops lines about the page itself instead of its subject: polls, requests for scripts, labels of advertisements and of buttons.
fn drop_notices(sight: &StepView<'_>, choice: &mut Choice) {
    let View { dom, blocks, .. } = sight.view;
    // Each of these changes few pages and hardly an F1, but users reported each case (docs/experiments/content.md).
    choice.step(Step::Notices, "a poll", |kept| polls::apply(dom, blocks, kept));
    choice.step(Step::Notices, "a request to switch on scripts, or a copy for other browsers or screens", |kept| {
        noscript::apply(dom, blocks, kept);
        noscript::drop_for_other_screens(dom, blocks, kept);
    });
    choice.step(Step::Notices, "a label of an advertisement or of a newsletter", |kept| labels::apply(blocks, kept));
    choice.step(Step::Notices, "the subscription to a newsletter", |kept| {
        labels::drop_newsletter_lines(dom, blocks, kept);
    });
    choice.step(Step::Notices, "the text below a paid link", |kept| labels::drop_paid(dom, blocks, kept));
    choice.step(Step::Notices, "a request for an address or for consent", |kept| requests::apply(dom, blocks, kept));
    choice.step(Step::Notices, "the labels of a form", |kept| requests::drop_forms(dom, blocks, kept));
    choice.step_by_probability(Step::Notices, "a button", |probabilities, kept| {
        buttons::apply(dom, blocks, probabilities, kept);
    });
    choice.step(Step::Notices, "a legal statement of the site", |kept| legal::apply(blocks, kept));
}

/// Keeps the notes to which the kept text refers, and drops the headings below which nothing is kept.
fn keep_notes(sight: &StepView<'_>, choice: &mut Choice) {
    let View { dom, blocks, .. } = sight.view;
    if sight.options.render.footnotes {
        choice.step(Step::Notes, "a note to which the text refers", |kept| notes::keep_referenced(dom, blocks, kept));
    }
    // After all steps that drop the text below headings.
    choice.step_by_probability(Step::Notes, "a heading over nothing", |probabilities, kept| {
        headings::drop_over_nothing(dom, blocks, probabilities, kept);
    });
}

/// Keeps and drops elements by the caller's selectors.
fn obey_caller(sight: &StepView<'_>, choice: &mut Choice) {
    choice.step(Step::Caller, "a selector of the caller", |kept| sight.picked.blocks(sight.view.blocks, kept));
    if sight.picked.is_content() {
        choice.by = ChosenBy::Caller;
        // The estimate is for the method's choice, not for the caller's.
        choice.confidence = None;
    }
}
