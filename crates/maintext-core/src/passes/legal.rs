//! Drops the legal statement of a site below a text: "All rights reserved", "may not be reproduced", "© 2026 The Gazette".
use maintext_page::blocks::Blocks;
use maintext_page::lexicon::lexicon;

/// Phrases of such statements, in lower case.
const PHRASES: &[&str] = lexicon!("legal-statements.txt");
/// Beginnings of notices of a copyright, and the maximum number of bytes of such a notice.
const SIGNS: [&str; 3] = ["©", "copyright ", "(c) "];
const MAX_NOTICE_BYTES: usize = 150;
/// Maximum number of blocks of a statement.
const MAX_BLOCKS: usize = 4;
/// Maximum number of bytes of a block that is read.
const MAX_BYTES: usize = 2000;
/// Minimum number of words of the text above. A page with fewer may be the statement itself.
const MIN_WORDS_ABOVE: u32 = 20;

pub(crate) fn apply(blocks: &Blocks, kept: &mut [bool]) {
    let last: Vec<usize> = (0..kept.len()).rev().filter(|b| kept[*b]).take(MAX_BLOCKS).collect();
    let statement: Vec<usize> = last.into_iter().take_while(|b| is_legal(blocks.text(*b))).collect();
    let Some(first) = statement.last() else { return };
    if blocks.kept_words(&kept[..*first]) >= MIN_WORDS_ABOVE {
        statement.into_iter().for_each(|b| kept[b] = false);
    }
}

fn is_legal(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let text = text.to_lowercase();
    if text.len() <= MAX_NOTICE_BYTES && SIGNS.iter().any(|sign| text.starts_with(sign)) {
        return true;
    }
    PHRASES.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn kept(html: &str) -> String {
        let count = maintext_page::blocks::Blocks::new(&maintext_page::dom::parse(html, &Default::default())).len();
        crate::passes::choice_after(html, &"+".repeat(count), |_, blocks, kept| apply(blocks, kept))
    }

    const TEXT: &str = "<p>The mill has been closed since the flood of last year. The miller sells bread from a cart at the crossroads, as his father did before the first wheel was built.</p>";

    #[test]
    fn a_statement_below_a_text_goes() {
        for statement in [
            "© 2026 The Gazette. All rights reserved.",
            "Copyright 2026. This material may not be published, broadcast, rewritten or redistributed.",
            "Alle Rechte vorbehalten.",
            "Copyright The Gazette. Place an ad by calling the front desk.",
            "При использовании материалов ссылка на газету обязательна.",
            "版权与免责声明：凡本网注明“来源：河边日报”的所有作品",
            "無断転載を禁じます。",
            "A szerkesztőség nem vállal felelősséget a külső oldalakért.",
            "Vydavatel nenese odpovědnost za obsah cizích stránek.",
            "جميع الحقوق محفوظة",
        ] {
            assert_eq!(kept(&format!("{TEXT}<p>{statement}</p>")), "+-", "{statement}");
        }
        assert_eq!(kept(&format!("{TEXT}<p>All rights reserved.</p><p>May not be reproduced.</p>")), "+--");
    }

    #[test]
    fn texts_about_rights_stay() {
        assert_eq!(kept(&format!("<p>All rights reserved, said the sign.</p>{TEXT}")), "++");
        assert_eq!(kept("<p>© 2026 The Gazette. All rights reserved.</p>"), "+");
        assert_eq!(kept(&format!("{TEXT}<p>He has all the rights that he needs.</p>")), "++");
        assert_eq!(kept(&format!("{TEXT}<p>All rights reserved.</p>{TEXT}")), "+++");
    }
}
