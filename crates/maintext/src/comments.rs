//! Posts of a thread or comments under a text: both are many short texts of many authors, and only one of them is content.
//!
//! Old blogs with a short text and dozens of comments look like threads, block by block. Two things tell them apart that no single block
//! shows: the kind of the page as a whole, and that the names around the comments are hardly ever those of content elsewhere.
use crate::method::{Method, View};
use crate::page_type::PageType;
use std::ops::Range;

/// Words of content before the first post from which there is a text that can be commented on.
const TEXT: u32 = 30;
/// Elements around the first post whose names count.
const NAMED: usize = 4;
/// Log-odds of content by a name from which on it is that of content: one word in seventeen.
const NAMES_OF_CONTENT: f32 = -2.8;
/// Probability of a forum from which posts are posts.
const FORUM: f32 = 0.3;

/// Whether what was taken for the posts of a thread, beginning with the block `first`, are comments on the content before them.
///
/// `kind` is asked last, since it is the dearest.
pub(crate) fn are_comments<'k>(
    method: &dyn Method,
    view: &View<'_>,
    kept: &[bool],
    first: u32,
    kind: &dyn Fn() -> Option<&'k PageType>,
) -> bool {
    let before = 0..(first as usize).min(kept.len());
    let Some(last) = before.clone().rev().find(|&b| kept[b]) else { return false };
    let words: u32 = before.filter(|&b| kept[b]).map(|b| view.blocks.blocks[b].words).sum();
    if words < TEXT {
        return false;
    }
    // Elements around the first post that hold nothing of the text before it.
    let elements = around(view, first as usize, last);
    method.odds_of_names(view, &elements) < NAMES_OF_CONTENT && forum(kind()) < FORUM
}

fn around(view: &View<'_>, block: usize, last: usize) -> Vec<usize> {
    let elements = view.blocks.ancestors(block).take(NAMED);
    let blocks = |e: usize| -> &Range<u32> { &view.blocks.elements[e].blocks };
    elements.take_while(|&e| blocks(e).start as usize > last).collect()
}

/// The probability that the page is one of a forum; 1 without a model, which leaves posts what they are.
fn forum(kind: Option<&PageType>) -> f32 {
    kind.and_then(|k| k.probabilities.get("forum").copied()).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Blocks;
    use crate::dom;
    use crate::method::Verdict;
    use crate::page_type::PageTyper;
    use crate::{Favor, Options, extract};

    /// A short text with many long comments, in markup that says what they are or what they are not.
    fn page(name: &str, place: &str) -> String {
        let said = |n: usize| {
            format!(
                "<li class=\"{name}\"><div class=\"{name}-author\"><a href=\"/u/{n}\">Reader Number{n}</a></div><div class=\"{name}-date\">\
                 March {n}, 2024 at 10:1{n}</div><div class=\"{name}-body\"><p>I have seen them too, reader {n} says, and it was in the \
                 week after the storm, when the lake stood high. They stayed for an hour, and left toward the hills.</p><p>My \
                 neighbour has counted nine of them, which is more than last year, and he will write to the paper.</p></div></li>"
            )
        };
        let all: String = (1..9).map(said).collect();
        format!(
            "<html lang=en><head><title>The herons are back - A walk a day</title><meta property=og:type content=article></head>\
             <body><div id=header><a href=/>A walk a day</a></div><div id=content><div class=post><h1>The herons are back</h1>\
             <p>This morning, after a week of rain, two herons stood in the reeds below the mill, and nobody dared to go nearer.</p>\
             <p>They will stay until the autumn, as they have done each year since the dam was built, if the water allows it.</p>\
             </div><div id=\"{place}\"><h3>Eight of them</h3><ol class=\"{name}list\">{all}</ol></div></div></body></html>"
        )
    }

    /// Eight comments are three quarters of the words: the page is an article all the same.
    #[test]
    fn comments_under_a_short_text_are_none_of_it() {
        let options =
            |favor| Options { favor, url: Some("https://example.org/2024/03/herons".into()), ..Options::default() };
        let html = page("comment", "comments");
        let read = extract(html.as_str(), &options(Favor::Balance)).unwrap();
        assert!(read.text().contains("two herons stood") && !read.text().contains("reader 4 says"), "{}", read.text());
        assert_eq!((read.posts.len(), read.comments.len()), (0, 8));
    }

    /// A method that has learned these odds of every name.
    struct Odds(f32);

    impl Method for Odds {
        fn name(&self) -> &'static str {
            "odds"
        }
        fn judge(&self, page: &View<'_>, _: Favor) -> Vec<Verdict> {
            vec![Verdict { keep: true, ..Verdict::default() }; page.blocks.len()]
        }
        fn odds_of_names(&self, _: &View<'_>, elements: &[usize]) -> f32 {
            if elements.is_empty() { 0.0 } else { self.0 }
        }
    }

    fn judge(html: &str, url: &str, odds: f32, from: &str) -> bool {
        let dom = dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: Some(url) };
        let find = |what: &str| (0..blocks.len()).position(|b| blocks.text(b).contains(what)).unwrap();
        let kept: Vec<bool> = (0..blocks.len()).map(|b| b >= find(from)).collect();
        let kind = PageTyper::shipped().ok().map(|t| t.classify(&view));
        are_comments(&Odds(odds), &view, &kept, find("Reader Number1") as u32, &|| kind.as_ref())
    }

    #[test]
    fn names_a_text_before_and_the_kind_of_page_decide() {
        let blog = page("comment", "comments");
        let thread = page("post", "posts")
            .replace("og:type content=article", "og:type content=website")
            .replace("id=content", "id=content class=\"viewtopic forum\"")
            .replace("A walk a day", "Herons forum - View topic");
        let (at_blog, at_forum) = ("https://example.org/2024/herons", "https://example.org/forum/viewtopic.php?t=12");
        assert!(judge(&blog, at_blog, -3.0, "This morning"));
        assert!(!judge(&blog, at_blog, -2.0, "This morning"), "names of content");
        assert!(!judge(&blog, at_blog, -3.0, "Eight of them"), "no text before");
        assert!(!judge(&thread, at_forum, -3.0, "This morning"), "a forum");
    }
}
