//! Tells labels and times from names among short texts.
use crate::hash::HashSet;
use crate::metadata::text::dates;
use std::sync::LazyLock;

/// Words of buttons, ranks and labels beside names, in lower case.
static LABELS: Words = LazyLock::new(|| {
    words(
        "of new by full this to well active \
    reply replies quote like likes share report edit edited delete permalink link save follow post posts member members \
    moderator moderators admin administrator guest registered published updated posted answered asked commented comments comment \
    op author offline online join joined location thread threads topic newbie veteran subscriber junior senior staff user users anonymous views \
    antworten antwort zitieren zitat gefällt melden bearbeiten teilen mitglied gast moderatorin verfasst veröffentlicht beiträge \
    répondre citer signaler partager membre modérateur invité publié modifié responder citar denunciar compartir miembro moderador invitado \
    publicado membro convidado rispondi cita segnala condividi membro moderatore ospite pubblicato reageren reageer citeren melden lid gast \
    odpowiedz cytuj zgłoś użytkownik gość svara citera anmäl medlem gäst svar siter rapporter vastaa lainaa ответить цитата цитировать \
    пожаловаться участник модератор администратор гость пользователь опубликовано відповісти цитувати учасник odpovědět citovat člen host \
    yanıtla alıntı üye misafir paylaş 回复 引用 举报 分享 楼主 返信 報告 신고 답글 공유 ตอบ رد اقتباس עضו תגובה",
    )
});
/// More such words, for the lenient search.
static MORE_LABELS: Words = LazyLock::new(|| {
    words(
        "says said autor autorin auteur autore von par por löschen kopieren copy copier copiar supprimer eliminar elimina usuń",
    )
});

type Words = LazyLock<HashSet<&'static str>>;

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}

/// Returns whether a text is a button, a label, a rank or a count.
pub(super) fn is_label(text: &str) -> bool {
    is_made_of(text, &[&LABELS])
}

/// The same with more words, for the lenient search.
pub(super) fn is_likely_label(text: &str) -> bool {
    is_made_of(text, &[&LABELS, &MORE_LABELS])
}

fn is_made_of(text: &str, lists: &[&Words]) -> bool {
    let number = |w: &str| w.chars().all(char::is_numeric);
    let is_known = |w: &str| lists.iter().any(|l| l.contains(w)) || number(w);
    let mut any = false;
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let all = words.all(|w| {
        any = true;
        match w.chars().any(char::is_uppercase) {
            true => is_known(&w.to_lowercase()),
            false => is_known(w),
        }
    });
    any && all
}

/// Returns whether a text states a time: a date, a weekday, `3 hours ago`.
pub(super) fn is_time(text: &str) -> bool {
    let digits = text.chars().any(char::is_numeric);
    let clock = |w: &[u8]| w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit();
    dates::is_relative(text)
        || text.as_bytes().windows(4).any(clock)
        || digits && (dates::partial(text, "").is_some() || !dates::find(text, &dates::Hint::default()).is_empty())
}
