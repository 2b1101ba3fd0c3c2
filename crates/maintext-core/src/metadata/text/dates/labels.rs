//! Words before a date that state its meaning, in over thirty languages.
use std::collections::HashMap;
use std::sync::LazyLock;

/// Returns whether the words before a date, in lower case, announce a publication.
pub(crate) fn announces_publication(label: &str) -> bool {
    static WORDS: LazyLock<Beginnings> = LazyLock::new(|| by_first(PUBLISHED));
    is_label(label, &WORDS)
}

/// Returns whether the words before a date, in lower case, announce a change.
pub(crate) fn announces_change(label: &str) -> bool {
    static WORDS: LazyLock<Beginnings> = LazyLock::new(|| by_first(MODIFIED));
    is_label(label, &WORDS)
}

/// Beginnings of words, by first letter.
type Beginnings = HashMap<char, Vec<&'static str>>;

fn by_first(words: &[&'static str]) -> Beginnings {
    let mut map = Beginnings::new();
    for w in words {
        map.entry(w.chars().next().unwrap_or(' ')).or_default().push(w);
    }
    map
}

/// Returns whether a word of the label has one of these beginnings; East Asian characters may begin a word anywhere.
fn is_label(label: &str, words: &Beginnings) -> bool {
    let mut before = ' ';
    label.char_indices().any(|(i, c)| {
        let begins = !before.is_alphabetic() || crate::blocks::is_cjk(c);
        before = c;
        begins && words.get(&c).is_some_and(|list| list.iter().any(|w| label[i..].starts_with(w)))
    })
}

/// Beginnings of words that announce a publication date, in over 30 languages.
const PUBLISHED: &[&str] = &[
    "publi",
    "posted",
    "created",
    "date",
    "on",
    "veröffentlicht",
    "erstellt",
    "datum",
    "vom",
    "stand",
    "geplaatst",
    "gepubliceerd",
    "posté",
    "mis en ligne",
    "le",
    "paru",
    "creado",
    "fecha",
    "pubblicato",
    "creato",
    "postado",
    "publicerad",
    "publicert",
    "publiceret",
    "udgivet",
    "julkaistu",
    "avaldatud",
    "publicēts",
    "paskelbta",
    "opublikowano",
    "dodano",
    "data",
    "vydáno",
    "publikov",
    "zverejn",
    "objavljeno",
    "objavl",
    "опубликован",
    "дата",
    "размещен",
    "створено",
    "опубліковано",
    "публикувано",
    "δημοσιεύ",
    "ημερομηνία",
    "yayın",
    "tarih",
    "eklenme",
    "megjelen",
    "közzét",
    "đăng",
    "ngày",
    "diterbitkan",
    "dipublikasikan",
    "tanggal",
    "発行",
    "公開",
    "投稿",
    "掲載",
    "发布",
    "發布",
    "发表",
    "發表",
    "日期",
    "时间",
    "時間",
    "등록",
    "입력",
    "작성",
    "게시",
    "نشر",
    "تاريخ",
    "انتشار",
    "تاریخ",
    "פורסם",
    "תאריך",
    "प्रकाशित",
    "প্রকাশ",
    "เผยแพร่",
    "วันที่",
    "გამოქვეყ",
];
/// Beginnings of words that announce the date of a change.
const MODIFIED: &[&str] = &[
    "updat",
    "modif",
    "edited",
    "revis",
    "reviewed",
    "chang",
    "last",
    "aktualisier",
    "geändert",
    "überarbeitet",
    "bearbeitet",
    "letzte",
    "bijgewerkt",
    "gewijzigd",
    "mis à jour",
    "mise à jour",
    "actualizado",
    "actualización",
    "aggiornat",
    "ultima",
    "última",
    "atualizad",
    "uppdatera",
    "oppdatert",
    "opdateret",
    "päivitetty",
    "muokattu",
    "uuendatud",
    "atjaun",
    "atnaujin",
    "aktualiz",
    "zaktualizowano",
    "aktualizov",
    "ažurir",
    "izmijenj",
    "обновлен",
    "изменен",
    "оновлено",
    "обновен",
    "ενημερώ",
    "τελευταία",
    "güncelle",
    "son güncelleme",
    "frissít",
    "módosít",
    "actualizat",
    "cập nhật",
    "diperbarui",
    "更新",
    "修改",
    "수정",
    "최종",
    "تحديث",
    "آخر",
    "به‌روز",
    "עודכן",
    "अपडेट",
    "আপডেট",
    "อัปเดต",
    "განახლ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_recognised_by_their_beginnings() {
        assert!(announces_publication("veröffentlicht am") && announces_publication("发布时间："));
        assert!(announces_change("zuletzt aktualisiert: ") && !announces_change("posted on"));
        // A beginning does not count inside a word, except in scripts without spaces.
        assert!(!announces_publication("unposted") && announces_publication("文章发布于"));
        assert!(!announces_publication("") && !announces_change("12 comments"));
    }
}
