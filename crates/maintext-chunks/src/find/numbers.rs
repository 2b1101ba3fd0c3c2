//! Whether a question asks for a number or a date.

/// Words that ask for a number or a time, in many languages: between spaces.
const NUMBER_WORDS: &str = " when wieviel wieviele wievielten wann combien quand cuánto cuánta cuántos cuántas cuándo quanto quanta quanti quante quantos \
    quantas quando hoeveel wanneer när hvornår når ile ilu kiedy kolik kdy koľko kedy сколько когда скільки коли kaç hány mennyi mikor milloin \
    cât câte câți când πόσο πόσα πόσες πόσοι πότε berapa kapan bao mấy كم متى כמה מתי percent percentage ";
/// Words that ask for a number if an adjective or an adverb follows: `how many`.
const BEFORE_ADJECTIVE: &[&str] = &["how", "wie", "hoe", "hur", "hvor", "kuinka"];
/// Words after these that ask for a way instead.
const WORDS_OF_WAYS: &str = " do does did can could to is are was were will would should shall may might the a i you we they he she it has have had come \
    kann ist sind war soll muss werden wird ging geht heißt man ich wir der die das sich reagierte kunnen is zijn moet kan ska är var gör man jeg er \
    sier skal kan ";
/// Parts of questions in scripts without spaces, and phrases: one per line.
const NUMBER_PHRASES: &str = include_str!("number-questions.txt");

/// Returns whether a question asks for a number or a date.
pub(super) fn asks_for_number(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    words.iter().any(|w| is_in(NUMBER_WORDS, w))
        || words.windows(2).any(|w| BEFORE_ADJECTIVE.contains(&w[0]) && !is_in(WORDS_OF_WAYS, w[1]))
        || NUMBER_PHRASES.lines().any(|part| lower.contains(part))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_numbers_are_known() {
        for yes in [
            "How many boats are there?",
            "When does it leave?",
            "Wie groß ist es?",
            "Combien coûte un billet ?",
            "票价是多少",
            "いつ出ますか",
            "표는 얼마",
        ] {
            assert!(asks_for_number(yes), "{yes}");
        }
        for no in ["How do I get there?", "Why is it late?", "Wie kann man buchen?", "谁是船长", "Where is the pier?"]
        {
            assert!(!asks_for_number(no), "{no}");
        }
    }
}
