//! The part of a line that is compared between two readings.
use maintext_core::metadata::{Stamp, without_passing_times};

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
    let line = without_passing_times(line, language);
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
        let kept = without_passing_times(text, language);
        if text.is_empty() || !kept.is_empty() {
            push(&mut out, &kept);
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

/// Whether a word names what counters count: comments, views, likes.
fn is_counted(word: &str) -> bool {
    let lower = word.to_lowercase();
    COUNTED.split_ascii_whitespace().any(|w| w == lower) || COUNTED_PARTS.split(' ').any(|part| lower.contains(part))
}

/// Removes the numbers of counters: `12 comments`, `Views: 1,200`, `Likes (3K)`.
fn without_counters(line: &str) -> String {
    let tokens = tokens(line);
    let is_number: Vec<bool> = tokens.iter().map(|t| line[t.clone()].starts_with(char::is_numeric)).collect();
    // A word counts one number: the one before it, or after a colon or a bracket the next.
    let mut counts = vec![false; tokens.len()];
    for i in (0..tokens.len()).filter(|&i| !is_number[i] && is_counted(&line[tokens[i].clone()])) {
        let before = i.checked_sub(1).filter(|&n| is_number[n] && !counts[n]);
        let after = Some(i + 1).filter(|&n| n < tokens.len() && is_number[n]);
        let is_announced = after.is_some_and(|n| line[tokens[i].end..tokens[n].start].contains([':', '(', '：', '（']));
        let number = if is_announced { after } else { before.or(after) };
        if let Some(number) = number {
            counts[number] = true;
        }
    }
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    for (token, _) in tokens.iter().zip(counts).filter(|(_, counts)| *counts) {
        out.push_str(&line[at..token.start]);
        at = token.end;
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
    fn numbers_next_to_a_passing_time_or_a_counter_count() {
        for (a, b) in [
            ("The price today is 4 euros.", "The price today is 9 euros."),
            ("Today: 4 euros", "Today: 9 euros"),
            ("The shop is open today.", "The shop is shut today."),
            (
                "The shares closed at 41.20 today, the exchange said.",
                "The shares closed at 12.90 today, the exchange said.",
            ),
            ("Heute kostet das Brot 4 Euro.", "Heute kostet das Brot 9 Euro."),
            ("今天的价格是4元", "今天的价格是9元"),
            ("5分钟前：价格4元", "5分钟前：价格9元"),
            ("Last updated: 3 May 2024. Fee: 40 euros.", "Last updated: 9 May 2024. Fee: 90 euros."),
            ("Updated 3 minutes ago: 40 euros", "Updated 3 minutes ago: 90 euros"),
            ("40 Stunden vor dem Start", "90 Stunden vor dem Start"),
            ("12 comments, 40 euros", "12 comments, 90 euros"),
            ("40 euros 12 comments", "90 euros 12 comments"),
        ] {
            assert_ne!(key(a, ""), key(b, ""), "{a}");
        }
        for (a, b) in [
            ("Last updated: 3 May 2024. Fee: 40 euros.", "Last updated: 9 May 2024. Fee: 40 euros."),
            ("Petrol costs 1.45 euros, updated 3 minutes ago", "Petrol costs 1.45 euros, updated 2 hours ago"),
            ("Ann Lee, an hour ago", "Ann Lee, 2 hours ago"),
            ("Posted by Ann 1 hour 20 minutes ago", "Posted by Ann 3 hours ago"),
            ("Yesterday at 12:30 pm by Ann", "2 days ago by Ann"),
            ("Von Ann, vor einer Stunde", "Von Ann, vor etwa 3 Tagen"),
            ("Ann, il y a une heure", "Ann, il y a 3 heures"),
        ] {
            assert_eq!(key(a, ""), key(b, ""), "{a}");
        }
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
