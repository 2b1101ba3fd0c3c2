//! A small memory of answers, so that the next part of a long one needs no second fetch and fits the first part.
use super::CallAnswer;
use maintext_util::guard::lock;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// Maximum number of answers.
const ANSWERS: usize = 64;
/// Maximum number of their bytes.
const BYTES: usize = 16 << 20;
/// Time after which an answer is forgotten.
const AGE: Duration = Duration::from_secs(600);

/// Keys of the hash, from the system's random numbers, so that no client can make two calls collide.
static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(|| [RandomState::new(), RandomState::new()]);

/// The name of a call: a hash of its caller, its tool and its arguments.
pub type Name = [u64; 2];

/// The answers, with the oldest first.
#[derive(Debug, Default)]
pub struct KeptAnswers {
    answers: Mutex<VecDeque<(Name, Instant, Arc<CallAnswer>)>>,
}

impl KeptAnswers {
    /// Returns the name of a call by the holder of a token. Its parts have the same name.
    pub(crate) fn name(holder: &str, tool: &str, arguments: &Map<String, Value>) -> Name {
        let mut arguments: Vec<(&String, &Value)> =
            arguments.iter().filter(|(name, _)| !matches!(name.as_str(), "offset" | "max_chars")).collect();
        arguments.sort_by_key(|(name, _)| *name);
        let text: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
        std::array::from_fn(|i| KEYS[i].hash_one((holder, tool, &text)))
    }

    /// Keeps an answer, and forgets old ones if necessary.
    pub(crate) fn keep(&self, name: Name, answer: Arc<CallAnswer>) {
        let size = answer.size();
        let mut answers = lock(&self.answers);
        answers.retain(|(n, at, _)| *n != name && at.elapsed() < AGE);
        while !answers.is_empty()
            && (answers.len() >= ANSWERS || answers.iter().map(|a| a.2.size()).sum::<usize>() + size > BYTES)
        {
            answers.pop_front();
        }
        if size <= BYTES {
            answers.push_back((name, Instant::now(), answer));
        }
    }

    /// Returns the answer with this name.
    pub(crate) fn get(&self, name: Name) -> Option<Arc<CallAnswer>> {
        let answers = lock(&self.answers);
        let fresh = answers.iter().filter(|(_, at, _)| at.elapsed() < AGE);
        fresh.rev().find(|(n, ..)| *n == name).map(|(.., answer)| answer.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::AnswerBody;
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_of_a_call_share_an_answer_and_old_ones_are_forgotten() {
        let name = |arguments: Value| KeptAnswers::name("a", "extract", arguments.as_object().unwrap());
        let first = name(json!({"url": "a", "links": true}));
        assert_eq!(first, name(json!({"offset": 9, "links": true, "max_chars": 700, "url": "a"})));
        assert!(first != name(json!({"url": "b", "links": true})) && first != name(json!({"url": "a"})));
        let answers = KeptAnswers::default();
        let large = || Arc::new(CallAnswer { head: Vec::new(), body: AnswerBody::Text("x".repeat(BYTES / 3)) });
        let names: Vec<Name> = (0..4).map(|i| name(json!({ "url": i }))).collect();
        names.iter().for_each(|n| answers.keep(*n, large()));
        assert!(answers.get(names[0]).is_none() && answers.get(names[3]).is_some());
    }
}
