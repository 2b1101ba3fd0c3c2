//! Writes leaves: their text, and the links, formulas, images and media in it.
use super::super::text::write_leaf;
use super::super::tree::{BlockKind, RunKind};
use super::{BlocksWriter, Holds};
use maintext_page::embed::Medium;
use maintext_page::markup::code;
use serde::Serialize;

/// A link, image, video or formula in a text.
#[derive(Serialize)]
struct LeafLink<'a> {
    text: String,
    href: &'a str,
}

#[derive(Serialize)]
struct LeafImage<'a> {
    src: &'a str,
    alt: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
}

#[derive(Serialize)]
struct LeafMedia<'a> {
    kind: &'a str,
    src: &'a str,
    title: &'a str,
}

#[derive(Serialize)]
struct LeafFormula<'a> {
    tex: &'a str,
    display: bool,
}

impl<'t> BlocksWriter<'t> {
    pub(super) fn leaf(&mut self, i: usize, kind: BlockKind) {
        let tree = self.tree;
        if kind == BlockKind::Byline {
            return;
        }
        if kind == BlockKind::Rule {
            self.object("rule", i);
            return self.out.push(b'}');
        }
        if let [run] = tree.runs(i)
            && let RunKind::Math { display, .. } = run.kind
        {
            self.object("math", i);
            self.field("tex", tree.slice(&run.text));
            self.field("display", &display);
            return self.out.push(b'}');
        }
        if !tree.has_text(i) {
            return self.picture(i);
        }
        match kind {
            BlockKind::Pre => {
                self.object("code", i);
                self.field("language", &code::language::language(tree.content.dom, tree.blocks[i].node));
                self.text(i, '\n');
            }
            // A heading that begins an entry is the entry's title.
            BlockKind::Heading(level) if !self.begins_entry() => {
                self.object("heading", i);
                self.field("level", &level);
                self.text(i, ' ');
                self.inline_content(i);
            }
            _ => {
                if let Some(frame) = self.frames.last_mut().filter(|f| f.holds == Holds::NothingYet) {
                    frame.holds = Holds::Text;
                    self.text(i, '\n');
                    return self.inline_content(i);
                }
                self.object("paragraph", i);
                self.text(i, '\n');
                self.inline_content(i);
            }
        }
        self.out.push(b'}');
    }

    /// Whether the next leaf is the first block of an entry.
    fn begins_entry(&self) -> bool {
        let top = self.frames.last().filter(|f| f.holds == Holds::NothingYet);
        top.is_some_and(|f| self.tree.is_entry(f.block))
    }

    pub(super) fn text(&mut self, i: usize, line_break: char) {
        let mut text = std::mem::take(&mut self.scratch);
        write_leaf(self.tree, i, line_break, &mut text);
        self.field("text", &text);
        text.clear();
        self.scratch = text;
    }

    /// Writes the Markdown of a leaf with markup, and its links, formulas and pictures.
    pub(super) fn inline_content(&mut self, i: usize) {
        let tree = self.tree;
        let runs = tree.runs(i);
        if runs.iter().all(|r| r.inline == 0 && matches!(r.kind, RunKind::Text | RunKind::Break)) {
            return;
        }
        let mut markdown = std::mem::take(&mut self.scratch);
        self.markdown.write(i, &mut markdown);
        self.field("markdown", markdown.trim());
        markdown.clear();
        self.scratch = markdown;
        let links: Vec<_> = tree.links(runs.iter()).into_iter().map(|(text, href)| LeafLink { text, href }).collect();
        let formulas: Vec<_> = runs
            .iter()
            .filter_map(|run| match run.kind {
                RunKind::Math { display, .. } => Some(LeafFormula { tex: tree.slice(&run.text), display }),
                _ => None,
            })
            .collect();
        self.list_field("links", &links);
        self.list_field("formulas", &formulas);
        self.pictures(std::iter::once(i));
    }

    /// Writes the images and videos of some leaves.
    pub(super) fn pictures(&mut self, leaves: impl Iterator<Item = usize>) {
        let (mut images, mut media) = (Vec::new(), Vec::new());
        for run in leaves.flat_map(|l| self.tree.runs(l)) {
            let src = self.tree.slice(&run.text);
            match run.kind {
                RunKind::Image(n) => {
                    let content = self.tree.content;
                    images.push(LeafImage { src, alt: content.alt(n), title: content.image_title(n) });
                }
                RunKind::Media { medium, title, .. } => {
                    let kind = match medium {
                        Medium::Video => "video",
                        Medium::Audio => "audio",
                        Medium::Other => "other",
                    };
                    media.push(LeafMedia { kind, src, title: self.tree.media_title(run, title) });
                }
                _ => {}
            }
        }
        self.list_field("images", &images);
        self.list_field("media", &media);
    }

    /// Writes a leaf without words as a figure, unless the figure around it has its pictures already.
    fn picture(&mut self, i: usize) {
        let tree = self.tree;
        let has_pictures = tree.runs(i).iter().any(|r| matches!(r.kind, RunKind::Image(_) | RunKind::Media { .. }));
        let around = self.frames.last().and_then(|f| tree.blocks.get(f.block));
        if has_pictures && around.is_none_or(|b| b.kind != BlockKind::Figure) {
            self.object("figure", i);
            self.pictures(std::iter::once(i));
            self.out.push(b'}');
        }
    }

    pub(super) fn first_link(&self, i: usize) -> Option<&'t str> {
        let tree = self.tree;
        let mut links = tree.leaves(i).flat_map(|l| tree.runs(l)).filter_map(|r| tree.link(r.inline));
        links.next().map(|link| tree.href(link))
    }
}
