//! Bylines in Chinese, Japanese and Korean texts.
//!
//! These languages name the author within a sentence, without spaces around the name: `新华社北京5月3日电（记者张三、李四）`, `文/王五`,
//! `取材・文＝山田太郎`, `[서울=뉴시스] 홍길동 기자`. A marker such as `记者` shows where names begin or end. Surnames show where they
//! stop: a few hundred cover nearly everyone in Chinese and Korean.
use super::push_new;
use maintext_page::blocks::is_cjk;
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

static CHINESE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| lexicon!("surnames-chinese.txt").iter().copied().collect());
static KOREAN: LazyLock<HashSet<char>> =
    LazyLock::new(|| lexicon!("surnames-korean.txt").iter().filter_map(|s| s.chars().next()).collect());

/// How a text names a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// After or before `记者` or `기자`.
    Reporter,
    /// After `作者`, `撰文`, `執筆`, `ライター`.
    Writer,
    /// After `文/`, `文＝`.
    Text,
    /// After the name of a source: `来源：某网 张三`.
    Source,
    /// In brackets at the beginning or end of an article, without a marker.
    Signature,
    /// After `责任编辑`: not an author.
    Editor,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Reporter, Kind::Writer, Kind::Text, Kind::Source, Kind::Signature, Kind::Editor];

    /// Returns the name of the kind in features and in lists of markers.
    pub fn name(self) -> &'static str {
        ["reporter", "writer", "text", "source", "signature", "editor"][self as usize]
    }
}

/// Names found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Byline {
    /// The names.
    pub names: Vec<String>,
    /// The role that the text states.
    pub kind: Kind,
}

/// Number of characters at each end of a long text that are searched.
const SEARCHED_CHARS: usize = 100;
/// Maximum number of names of a byline.
const MAX_NAMES: usize = 8;

/// Markers before names. A longer marker precedes the shorter ones that it contains.
static MARKERS: LazyLock<Vec<(&str, Kind)>> = LazyLock::new(|| {
    lexicon!("east-asian-markers.txt")
        .iter()
        .filter_map(|line| {
            let (marker, kind) = line.split_once(' ')?;
            Some((marker, Kind::ALL.into_iter().find(|k| k.name() == kind)?))
        })
        .collect()
});

/// Marks between a marker and a name.
const COLONS: &[char] = &[':', '：', '丨', '|', '｜', '/', '／', '＝', '=', '︱', '∣'];
/// Marks between names.
const LIST: &[char] = &['、', '/', '／', '&', '＆', '和', '与', '與', '及', '，', ','];
/// Words that follow a reporter's name in a sentence; a name ends before them.
const STOPS: &[&str] = lexicon!("east-asian-verbs.txt");
/// Words after names in the caption of a picture.
const PICTURE: &[&str] = &["摄", "攝", "供图", "图", "撮影", "写真", "사진", "影"];
/// Endings of the names of organisations.
const ORGANISATION: &[&str] = lexicon!("east-asian-organisations.txt");
/// Titles before a name.
const TITLES: &[&str] = lexicon!("east-asian-titles.txt");

/// Returns whether the name of an organisation or of a part of a site ends the text.
pub fn is_organisation(name: &str) -> bool {
    // No ending is ASCII.
    !name.is_ascii()
        && ORGANISATION.iter().any(|o| name.ends_with(o))
        && name.chars().all(|c| is_cjk(c) || c.is_alphanumeric())
}

/// Returns whether a text is a Chinese name: a known surname and one or two more characters.
pub fn is_chinese_name(name: &str) -> bool {
    let n = name.chars().count();
    name.chars().all(is_cjk)
        && !is_organisation(name)
        && ((2..=3).contains(&n) && has_surname(name, 1) || (3..=4).contains(&n) && has_surname(name, 2))
}

fn has_surname(name: &str, k: usize) -> bool {
    let end = name.char_indices().nth(k).map_or(name.len(), |(i, _)| i);
    CHINESE.contains(&name[..end])
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

/// Returns whether a text is a Korean name: a surname and one to three more syllables.
fn is_korean_name(name: &str) -> bool {
    (2..=4).contains(&name.chars().count())
        && name.chars().all(is_hangul)
        && name.chars().next().is_some_and(|c| KOREAN.contains(&c))
        && !is_organisation(name)
}

/// Returns whether a text can be a Japanese name: two to six characters, of which the first is Chinese.
fn is_japanese_name(name: &str) -> bool {
    let n = name.chars().filter(|c| *c != ' ').count();
    (3..=6).contains(&n)
        && name.chars().all(|c| is_cjk(c) || c == ' ')
        && name.chars().next().is_some_and(|c| !is_kana(c))
        && !is_organisation(name)
        && !["氏", "撮影", "写真", "提供", "さん", "記者", "容疑者", "首相", "大統領", "編集", "構成"]
            .iter()
            .any(|e| name.ends_with(e))
}

/// Returns the bylines in the beginning and the end of a text.
///
/// `japanese` says that surnames are not among the Chinese ones.
pub fn bylines(text: &str, japanese: bool) -> Vec<Byline> {
    let mut out = Vec::new();
    let count = text.char_indices().nth(2 * SEARCHED_CHARS);
    if count.is_none() {
        scan(text, japanese, true, true, &mut out);
        return out;
    }
    let head = text.char_indices().nth(SEARCHED_CHARS).map_or(text.len(), |(i, _)| i);
    let tail = text.char_indices().rev().nth(SEARCHED_CHARS - 1).map_or(0, |(i, _)| i);
    scan(&text[..head], japanese, true, false, &mut out);
    scan(&text[tail..], japanese, false, true, &mut out);
    out
}

fn scan(text: &str, japanese: bool, starts: bool, ends: bool, out: &mut Vec<Byline>) {
    let mut add = |names: Vec<String>, kind: Kind| {
        if !names.is_empty() && !out.iter().any(|b| b.names == names && b.kind == kind) {
            out.push(Byline { names, kind });
        }
    };
    let mut all: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        at += c.len_utf8();
        if !is_cjk(c) {
            continue;
        }
        if c == '기' || c == '특' || c == '논' {
            let Some(mark) = ["기자", "특파원", "논설위원"].into_iter().find(|m| rest.starts_with(m)) else {
                continue;
            };
            let next = rest[mark.len()..].chars().next();
            if next.is_none_or(|c| !is_hangul(c)) {
                add(korean_before(&text[..at - c.len_utf8()]), Kind::Reporter);
            }
            continue;
        }
        let Some(&(mark, kind)) = MARKERS.iter().find(|(m, _)| rest.starts_with(m)) else { continue };
        let before = &text[..at - c.len_utf8()];
        let after = &rest[mark.len()..];
        at += mark.len() - c.len_utf8();
        let left = before.chars().next_back();
        // `文` and `글` are common in other words: a mark must follow, and no letter may precede.
        let marked = after.trim_start().starts_with(COLONS);
        if kind == Kind::Text && (!marked && !after.starts_with('・') || left.is_some_and(char::is_alphanumeric)) {
            continue;
        }
        if kind == Kind::Source {
            if marked {
                add(after_source(after), Kind::Source);
            }
            continue;
        }
        // "（山田太郎記者）", "（溫貴香記者）"
        if kind == Kind::Reporter && !marked {
            let closed = after.chars().next().is_none_or(|c| matches!(c, '）' | ')' | '】' | '＝' | '=' | '」' | ']'));
            if closed {
                add(before_reporter(before), Kind::Reporter);
                continue;
            }
        }
        let names = names_after(after, kind, marked, japanese);
        if kind == Kind::Reporter {
            push_new(&mut all, names.iter().cloned());
        }
        add(names, kind);
    }
    // "记者 张三 通讯员 李四": the reporters and all.
    if all.len() > 1 && all.len() <= MAX_NAMES {
        add(all, Kind::Reporter);
    }
    if starts && let Some(names) = place_line(text) {
        add(names, Kind::Signature);
    }
    if ends && let Some(names) = closing(text, japanese) {
        add(names, Kind::Signature);
    }
}

/// Returns the Korean names that end a text, as in `홍길동·김철수` before `기자`.
fn korean_before(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim_end();
    // "[사진 = 김혜진 기자]" is a credit.
    let open = rest.rfind(['[', '(', '/', '【']).map_or("", |i| &rest[i..]);
    if ["사진", "영상", "그래픽"].iter().any(|w| open.contains(w)) {
        return out;
    }
    while out.len() < MAX_NAMES {
        let start = rest.char_indices().rev().take_while(|(_, c)| is_hangul(*c)).last().map_or(rest.len(), |(i, _)| i);
        let name = &rest[start..];
        if !is_korean_name(name) || name.chars().count() == 4 && !out.is_empty() {
            break;
        }
        out.insert(0, name.to_owned());
        let before = rest[..start].trim_end_matches(' ');
        let cut = before.trim_end_matches(['·', ',', '、', '，', '・']);
        if cut.len() == before.len() {
            break;
        }
        rest = cut.trim_end();
    }
    // "순천, 광양 구현모": places before the name.
    out
}

/// Returns the name at the end of a text, before `記者` and a closing bracket.
fn before_reporter(text: &str) -> Vec<String> {
    let start = text.char_indices().rev().take_while(|(_, c)| is_cjk(*c) || *c == ' ').last();
    let Some((start, _)) = start else { return Vec::new() };
    let opened = text[..start].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    let name: String = text[start..].split(' ').collect();
    let own = ["本报", "本報", "本紙", "本社", "本网", "特约", "本刊", "我报", "首席", "见习", "实习"];
    let fits = is_chinese_name(&name) || is_japanese_name(&name);
    if opened && fits && !own.iter().any(|o| name.starts_with(o)) { vec![name] } else { Vec::new() }
}

/// Returns the name after the name of a source.
fn after_source(text: &str) -> Vec<String> {
    let text = text.trim_start_matches(|c: char| COLONS.contains(&c) || c.is_whitespace());
    let mut words = text.split_whitespace();
    let (Some(source), Some(name)) = (words.next(), words.next()) else { return Vec::new() };
    let fits = !is_chinese_name(source) && is_chinese_name(name) && words.next().is_none();
    if fits { vec![name.to_owned()] } else { Vec::new() }
}

/// Reads the names after a marker.
fn names_after(text: &str, kind: Kind, marked: bool, japanese: bool) -> Vec<String> {
    let rest =
        text.trim_start_matches(|c: char| is_space(c) || COLONS.contains(&c) || matches!(c, '（' | '(' | '・' | '@'));
    let spaced = rest.len() < text.len();
    let end = rest
        .char_indices()
        .take(60)
        .find(|(_, c)| "）)】」。；;！？?]［[『「《".contains(*c))
        .map_or_else(|| rest.char_indices().nth(60).map_or(rest.len(), |(i, _)| i), |(i, _)| i);
    let closed = end < rest.len() || rest.chars().count() <= 60;
    let rest = &rest[..end];
    // A space between family and given name: "文／山川 渡".
    if japanese && marked && is_japanese_name(rest.trim_end()) {
        return vec![rest.trim_end().to_owned()];
    }
    let mut out: Vec<String> = Vec::new();
    let mut single = String::new();
    let listed = rest.contains('、');
    for (i, piece) in rest.split(|c: char| is_space(c) || LIST[..6].contains(&c) || matches!(c, '，' | ',')).enumerate()
    {
        if piece.is_empty() {
            continue;
        }
        if out.len() >= MAX_NAMES {
            break;
        }
        // A name of two characters may be spaced out: "韩 鑫".
        if piece.chars().count() == 1 && piece.chars().all(is_cjk) {
            single.push_str(piece);
            if is_chinese_name(&single) {
                out.push(std::mem::take(&mut single));
            }
            continue;
        }
        single.clear();
        // Next to a known name, a rare surname counts too: "张三、印小四".
        let rare = (2..=3).contains(&piece.chars().count()) && piece.chars().all(is_cjk) && listed;
        if rare && !out.is_empty() && !is_organisation(piece) && !STOPS.iter().any(|s| piece.starts_with(s)) {
            push_new(&mut out, [piece.to_owned()]);
            continue;
        }
        match person(piece, kind, marked, japanese, i == 0) {
            Some((name, last)) => {
                push_new(&mut out, [name]);
                if last {
                    break;
                }
            }
            // A title or an organisation may precede the first name.
            None if out.is_empty() && i < 4 && (marked || spaced) => {}
            None => break,
        }
    }
    let tail = out.last().and_then(|n| rest.rfind(n.as_str()).map(|i| &rest[i + n.len()..])).unwrap_or("");
    let picture = PICTURE.iter().any(|p| tail.trim_start().starts_with(p));
    if !closed && out.is_empty() || picture {
        return Vec::new();
    }
    out
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{3000}'
}

/// Returns the person named at the beginning of a piece, and whether the list ends there.
fn person(piece: &str, kind: Kind, marked: bool, japanese: bool, first: bool) -> Option<(String, bool)> {
    if STOPS.iter().any(|s| piece.starts_with(s)) && !is_chinese_name(piece) {
        return None;
    }
    if is_organisation(piece) {
        return None;
    }
    // "张三和李四" is read by the caller's separators, except that these characters also occur in names.
    if is_chinese_name(piece) || is_korean_name(piece) || japanese && is_japanese_name(piece) {
        return Some((piece.to_owned(), false));
    }
    // The name ends where the sentence goes on: "曹磊5月13日报道", "韩涵系某智库研究员", "溫貴香台北21日電".
    let run = piece.char_indices().find(|(_, c)| !is_cjk(*c) && *c != '·').map_or(piece.len(), |(i, _)| i);
    let dated = piece[run..].starts_with(|c: char| c.is_ascii_digit());
    let own = &piece[..run];
    // "作者保证…" is a sentence; "作者韩涵系…" names a person.
    let stops = STOPS.iter().filter(|s| kind == Kind::Reporter || ["系", "係", "是", "为"].contains(*s));
    let stop = stops.filter_map(|s| own.find(s)).filter(|i| *i >= 6).min();
    if let Some(stop) = stop
        && !japanese
        && is_chinese_name(&own[..stop])
    {
        return Some((own[..stop].to_owned(), true));
    }
    if is_chinese_name(own) && run < piece.len() {
        return Some((own.to_owned(), true));
    }
    let chars: Vec<char> = own.chars().collect();
    if dated && (4..=7).contains(&chars.len()) && kind == Kind::Reporter {
        let compound = CHINESE.contains(chars[..2].iter().collect::<String>().as_str());
        let n = match chars.len() {
            _ if compound => 4,
            4 => 2,
            _ => 3,
        };
        let name: String = chars[..n.min(chars.len())].iter().collect();
        if is_chinese_name(&name) {
            return Some((name, true));
        }
    }
    // "研究员徐占忱": a title, then the name.
    let titled = TITLES.iter().filter_map(|t| own.rfind(t).map(|i| i + t.len())).max();
    if let Some(at) = titled {
        let name = &own[at..];
        return is_chinese_name(name).then(|| (name.to_owned(), true));
    }
    // After a clear label, any short name counts: a pen name, a Japanese or foreign one.
    let short = (2..=8).contains(&piece.chars().count());
    let letters = piece.chars().all(|c| c.is_alphanumeric() || matches!(c, '·' | '-' | '_' | '・' | '.'));
    let labelled = marked && matches!(kind, Kind::Writer | Kind::Text | Kind::Editor);
    let named = piece.chars().any(char::is_alphabetic) && !piece.starts_with(|c: char| c.is_ascii_digit());
    (labelled && first && short && letters && named).then(|| (piece.to_owned(), false))
}

/// Returns the name in a place line: `【ソウル＝小池和樹】`.
fn place_line(text: &str) -> Option<Vec<String>> {
    let inner = text.trim_start().strip_prefix('【')?;
    let inner = &inner[..inner.find('】')?];
    let (_, names) = inner.split_once(['＝', '='])?;
    let names: Vec<String> = names.split(['、', '，', ',']).map(|n| n.trim().to_owned()).collect();
    names.iter().all(|n| is_japanese_name(n)).then_some(names)
}

/// Returns the names in brackets at the end of an article: `（张三）`, `【エルサレム松岡大地、カイロ金子淳】`.
fn closing(text: &str, japanese: bool) -> Option<Vec<String>> {
    let text = text.trim_end();
    let (open, close) =
        [('（', '）'), ('【', '】'), ('(', ')'), ('＝', '＝')].into_iter().find(|p| text.ends_with(p.1))?;
    let inner = &text[..text.len() - close.len_utf8()];
    let inner = &inner[inner.rfind(open)? + open.len_utf8()..];
    if inner.chars().count() > 40 {
        return None;
    }
    let mut names = Vec::new();
    for piece in inner.split(['、', '，', ',', ' ', '\u{3000}']).filter(|p| !p.is_empty()) {
        // A place in katakana before the name.
        let name = piece.trim_start_matches(is_kana).trim_start_matches(['・', '＝', '共']);
        let name = if japanese { name } else { piece };
        let fits = if japanese { is_japanese_name(name) } else { is_chinese_name(name) };
        if !fits {
            return None;
        }
        names.push(name.to_owned());
    }
    (!names.is_empty() && names.len() <= MAX_NAMES).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authors(text: &str, japanese: bool) -> Vec<String> {
        let mut found = bylines(text, japanese);
        found.retain(|b| b.kind != Kind::Editor);
        found.sort_by_key(|b| std::cmp::Reverse(b.names.len()));
        found.into_iter().next().map_or_else(Vec::new, |b| b.names)
    }

    #[test]
    fn chinese_bylines_are_read() {
        for (text, names) in [
            ("记者 张三", &["张三"][..]),
            ("本报记者 韩 鑫", &["韩鑫"]),
            ("记者丨赵小明", &["赵小明"]),
            ("文/王五", &["王五"]),
            ("文丨某网特约评论员 李小四", &["李小四"]),
            ("（作者：李四，系某大学教授）", &["李四"]),
            ("……才能走得更远。（作者王五系某智库研究员）", &["王五"]),
            ("某社北京5月3日电（记者张三、李四）今年春天，山路上的花开得很早。", &["张三", "李四"]),
            ("某社记者张三、李小四、王五", &["张三", "李小四", "王五"]),
            ("（某社記者陳大文台北21日電）今天天氣很好，山路上沒有人。", &["陳大文"]),
            ("某网记者赵小明5月13日报道：山路开放了。", &["赵小明"]),
            ("撰文：张三 李四", &["张三", "李四"]),
            ("作者 王之山 高小树", &["王之山", "高小树"]),
            ("[作者: 刘小满 责任编辑: 杨小丹 ]", &["刘小满"]),
            ("记者 张三 通讯员 李四", &["张三", "李四"]),
            ("作者：山中一夏", &["山中一夏"]),
            ("（本文来源：某报 作者：某研究中心研究部部长、研究员徐小占）", &["徐小占"]),
            ("某报记者 魏小其 来源：某报", &["魏小其"]),
            ("记者 欧阳小山", &["欧阳小山"]),
            ("（记者张三、印小四）", &["张三", "印小四"]),
        ] {
            assert_eq!(authors(text, false), names, "{text}");
        }
    }

    #[test]
    fn japanese_and_korean_bylines_are_read() {
        for (text, names) in [
            ("取材・文＝山田太郎", &["山田太郎"][..]),
            ("文＝山田太郎", &["山田太郎"]),
            ("文・構成／佐藤花子", &["佐藤花子"]),
            ("文・写真／佐藤 花子", &["佐藤 花子"]),
            ("山道は静かだった。（山田太郎記者）", &["山田太郎"]),
            ("【ソウル＝佐藤花子】山道は静かだった。", &["佐藤花子"]),
            ("山道は静かだった。【カイロ佐藤花子】", &["佐藤花子"]),
        ] {
            assert_eq!(authors(text, true), names, "{text}");
        }
        for (text, names) in [
            ("홍길동 기자", &["홍길동"][..]),
            ("[서울=뉴시스] 홍길동 기자 = 산길이 열렸다.", &["홍길동"]),
            ("홍길동·김철수 기자", &["홍길동", "김철수"]),
            ("춘천, 강릉 홍길동 기자 hong@example.org", &["홍길동"]),
        ] {
            assert_eq!(authors(text, false), names, "{text}");
        }
    }

    #[test]
    fn sentences_agencies_and_credits_name_nobody() {
        for text in [
            "记者首先前往现场。",
            "记者从有关部门获悉，山路将于下周开放。",
            "记者17日获悉",
            "某社记者 李小四 摄",
            "来源：某某新闻网",
            "平台声明：该文观点仅代表作者本人，本站仅提供信息存储空间服务。",
            "山路开放了。（完）",
            "기자회견에서 말했다",
            "[사진 = 홍길동 기자]",
            "作者保证其发布作品系原创",
            "示例通讯社",
        ] {
            assert_eq!(authors(text, false), [""; 0], "{text}");
        }
        let found = bylines("责任编辑：张三", false);
        assert_eq!(found, [Byline { names: vec!["张三".into()], kind: Kind::Editor }]);
    }
}
