//! The part of a line that is compared between two readings.
use maintext_core::metadata::{Stamp, is_passing_time};

/// Maximum number of words of a line from which counters are removed. The numbers of longer lines are content.
const MAX_COUNTER_WORDS: usize = 12;
/// Maximum number of bytes of such a line.
const MAX_COUNTER_BYTES: usize = 160;
/// Maximum number of bytes of a line from which relative times are removed.
const MAX_TIMED_BYTES: usize = 400;

/// Words next to the number of a counter, as whole words.
const COUNTED: &str = "view views read reads reader readers comment comments reply replies share shares like likes reaction reactions clap claps \
    follower followers subscriber subscribers visitor visitors visit visits download downloads retweet retweets repost reposts bookmark bookmarks \
    aufruf aufrufe kommentar kommentare antworten zugriffe leser besucher abonnenten downloads \
    vue vues commentaire commentaires réponse réponses partage partages lecture lectures abonnés visites \
    vista vistas visita visitas comentario comentarios respuesta respuestas compartido compartidos lecturas seguidores \
    visualizzazioni commento commenti risposte condivisioni letture \
    visualizações visualização comentário comentários resposta respostas compartilhamentos leituras \
    weergaven weergave reacties reactie antwoorden visningar visninger kommentarer svar katselua kommenttia \
    wyświetleń wyświetlenia komentarz komentarze komentarzy odpowiedzi odsłon zobrazení komentářů komentáře \
    просмотр просмотра просмотров просмотры комментарий комментария комментариев комментарии ответов лайков подписчиков \
    переглядів коментарів görüntülenme yorum beğeni dilihat komentar προβολές σχόλια مشاهدة تعليق تعليقات צפיות תגובות";
/// Parts of words next to the number of a counter, for scripts without spaces or with joined words.
const COUNTED_PARTS: &str = "浏览 阅读 评论 点赞 回复 播放 收藏 转发 瀏覽 閱讀 評論 留言 回應 觀看 閲覧 コメント いいね 再生 視聴 \
    조회 댓글 좋아요 추천 lượt ความคิดเห็น";

/// Returns the part of a line that is compared: without counters, times relative to today and the date of the last change; `""` if nothing is left.
pub(super) fn key(line: &str, language: &str) -> String {
    let line = folded(line);
    let line = without_item_number(&line).to_owned();
    let line = if line.len() <= MAX_TIMED_BYTES { without_times(&line, language) } else { line };
    let is_short = line.len() <= MAX_COUNTER_BYTES && line.split(' ').count() <= MAX_COUNTER_WORDS;
    let line = if is_short { without_counters(&line) } else { line };
    if line.contains(|c: char| c.is_alphanumeric()) || line.chars().any(is_sign) { line } else { String::new() }
}

/// Removes the number of a list item, which changes with the items before it. The day of a date stays: `5. Mai 2024`.
fn without_item_number(line: &str) -> &str {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=4).contains(&digits) {
        return line;
    }
    let Some(rest) = line[digits..].strip_prefix(". ") else { return line };
    let is_item = rest.starts_with(char::is_alphabetic) && rest.contains(' ');
    let begin: Vec<&str> = line.splitn(4, ' ').take(3).map(|w| w.trim_end_matches([':', ',', ';'])).collect();
    if is_item && Stamp::parse(&begin.join(" ")).is_none() { rest } else { line }
}

/// Whether a sign alone on a line has a meaning: `+`, `✓`.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && !c.is_ascii_punctuation() && !matches!(c, '·' | '•' | '–' | '—' | '…')
}

/// Returns a text with single spaces, and without differences that readers do not see.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c == '\u{a0}').filter(|w| !w.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter_map(|c| match c {
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => None,
            '‘' | '’' | '‚' | '′' => Some('\''),
            '“' | '”' | '„' | '″' => Some('"'),
            '‐' | '‑' | '−' | '–' => Some('-'),
            c => Some(c),
        }));
    }
    out
}

fn without_times(line: &str, language: &str) -> String {
    if is_passing_time(line, language) {
        return String::new();
    }
    let mut out = String::with_capacity(line.len());
    let mut start = 0;
    let borders = line.char_indices().filter(|&(at, c)| match c {
        '|' | '·' | '•' | '—' | '(' | ')' => true,
        // Not the ones in numbers.
        ',' | ';' => line[at + 1..].starts_with(' '),
        _ => false,
    });
    for (at, border) in borders.map(|(at, c)| (at, Some(c))).chain([(line.len(), None)]) {
        let text = line[start..at].trim();
        start = at + border.map_or(0, char::len_utf8);
        if !is_passing_time(text, language) {
            push(&mut out, &without_relative(text));
            out.extend(border);
        }
    }
    out
}

fn push(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}

/// Removes `3 minutes ago`, `vor 3 Minuten` and their like from a text.
fn without_relative(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut dropped = vec![false; words.len()];
    for i in (0..words.len()).filter(|&i| words[i].contains(|c: char| c.is_numeric())) {
        // Words before and after the number: "3 minutes ago", "hace 3 minutos", "il y a 3 minutes", "3分钟前".
        for (before, after) in [(0, 0), (0, 1), (0, 2), (1, 1), (3, 1)] {
            let Some(start) = i.checked_sub(before) else { continue };
            let Some(window) = words.get(start..=i + after) else { continue };
            if is_passing_time(&window.join(" "), "") {
                dropped[start..=i + after].fill(true);
                break;
            }
        }
    }
    let kept = words.iter().zip(&dropped).filter(|(_, dropped)| !**dropped);
    kept.map(|(w, _)| *w).collect::<Vec<_>>().join(" ")
}

/// Removes the numbers of counters: `12 comments`, `Views: 1,200`, `Likes (3K)`.
fn without_counters(line: &str) -> String {
    let tokens = tokens(line);
    let is_counted = |i: Option<usize>| {
        let Some(word) = i.and_then(|i| tokens.get(i)) else { return false };
        let lower = line[word.clone()].to_lowercase();
        COUNTED.split_ascii_whitespace().any(|w| w == lower)
            || COUNTED_PARTS.split(' ').any(|part| lower.contains(part))
    };
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    for (i, token) in tokens.iter().enumerate() {
        let is_number = line[token.clone()].starts_with(|c: char| c.is_numeric());
        if is_number && (is_counted(i.checked_sub(1)) || is_counted(Some(i + 1))) {
            out.push_str(&line[at..token.start]);
            at = token.end;
        }
    }
    out.push_str(&line[at..]);
    out
}

/// Returns the numbers and the words of a line. A number holds its separators and its unit: `1,200`, `1.2K`, `3万`.
fn tokens(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut tokens: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut number, mut open) = (false, false);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|c| c.1);
        let is_unit = matches!(c, 'k' | 'K' | 'm' | 'M' | '万' | '萬' | '亿' | '만' | '+')
            && next.is_none_or(|n| !n.is_ascii_alphabetic());
        let goes_on = if number {
            c.is_numeric() || is_unit || matches!(c, '.' | ',' | '\'') && next.is_some_and(char::is_numeric)
        } else {
            c.is_alphabetic()
        };
        match tokens.last_mut() {
            Some(last) if open && goes_on => last.end = end,
            _ if c.is_numeric() || c.is_alphabetic() => {
                tokens.push(at..end);
                (number, open) = (c.is_numeric(), true);
            }
            _ => open = false,
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_passing_times_do_not_count() {
        for (a, b) in [
            ("12 comments", "13 comments"),
            ("Comments (1,204)", "Comments (3)"),
            ("Views: 1.2K · Likes: 30", "Views: 1.3K · Likes: 31"),
            ("阅读 1234 评论 5", "阅读 1300 评论 6"),
            ("조회 120", "조회 121"),
            ("By Ann Lee · 3 minutes ago", "By Ann Lee · 2 hours ago"),
            ("Ann wrote 3 minutes ago: it is late", "Ann wrote 4 hours ago: it is late"),
            ("Von Ann Lee, vor 3 Stunden", "Von Ann Lee, vor 5 Stunden"),
            ("Last updated: 17 May 2024, 10:20", "Last updated: 18 May 2024, 11:00"),
            ("Updated 3 minutes ago", "Updated May 3, 2024"),
            ("Zuletzt aktualisiert am 17. Mai 2024", "Zuletzt aktualisiert am 1. Juni 2024"),
            ("5分钟前", "1小时前"),
            ("1. Check the value of the part", "2. Check the value of the part"),
            ("“It’s  late” – Ann", "\"It's late\" - Ann"),
        ] {
            assert_eq!(key(a, ""), key(b, ""), "{a}");
        }
        assert_eq!(key("Updated 3 minutes ago", "en"), "");
    }

    #[test]
    fn other_numbers_and_dates_count() {
        for (a, b) in [
            ("A ticket costs 4 pounds", "A ticket costs 5 pounds"),
            ("17 May 2024", "18 May 2024"),
            ("The meeting is on 17 May 2024", "The meeting is on 18 May 2024"),
            ("Version 3.11", "Version 3.12"),
            ("5. Mai 2024: das Fest", "6. Mai 2024: das Fest"),
            ("5. Platz", "6. Platz"),
            ("Updated for Python 3.11", "Updated for Python 3.12"),
            ("$5", "€5"),
            ("Population: 12,000", "Population: 13,000"),
            ("✓", "✗"),
            (
                "The council read 12 comments from the people of the town before it came to a decision.",
                "The council read 15 comments from the people of the town before it came to a decision.",
            ),
        ] {
            assert_ne!(key(a, "en"), key(b, "en"), "{a}");
        }
    }
}
