//! Hand-made texts for each rule, on both sides of its bound.
use maintext_quality::{BadWords, C4, Filter, GopherQuality, NAMES, Quality};

/// The failed rules of a text.
fn failed(name: &str, text: &str, language: &str) -> Vec<&'static str> {
    Quality::new(&[name]).unwrap().check(text, Some(language)).failed.iter().map(|f| f.rule).collect()
}

fn fails(name: &str, text: &str, rule: &str) -> bool {
    failed(name, text, "en").contains(&rule)
}

/// `n` different words of `length` letters.
fn words(n: usize, length: usize) -> String {
    let word = |mut i: usize| -> String {
        (0..length)
            .map(|_| {
                let c = b"bdfgklmprt"[i % 10];
                i /= 10;
                char::from(c)
            })
            .collect()
    };
    (0..n).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn gopher_counts_words_at_both_bounds() {
    assert!(fails("gopher-quality", &words(49, 5), "gopher.words"));
    assert!(!fails("gopher-quality", &words(50, 5), "gopher.words"));
    // Punctuation does not count as words.
    assert!(fails("gopher-quality", &format!("{} , , .", words(49, 5)), "gopher.words"));
    assert!(!fails("gopher-quality", &words(100_000, 6), "gopher.words"));
    assert!(fails("gopher-quality", &words(100_001, 6), "gopher.words"));
}

#[test]
fn gopher_measures_the_mean_length_in_characters() {
    for (length, fail) in [(2, true), (3, false), (10, false), (11, true)] {
        assert_eq!(fails("gopher-quality", &words(60, length), "gopher.mean_word_length"), fail, "{length}");
    }
    // Characters, not bytes: ten Cyrillic letters.
    assert!(!failed("gopher-quality", &"длиннослов ".repeat(60), "ru").contains(&"gopher.mean_word_length"));
}

#[test]
fn gopher_counts_symbols_per_word() {
    // 9 hashes are words, too: 9 of 99 and 10 of 90.
    assert!(!fails("gopher-quality", &format!("{} {}", words(90, 5), "# ".repeat(9)), "gopher.hashes"));
    assert!(fails("gopher-quality", &format!("{} {}", words(80, 5), "# ".repeat(10)), "gopher.hashes"));
    assert!(!fails("gopher-quality", &format!("{} {}", words(90, 5), "… ".repeat(9)), "gopher.ellipses"));
    assert!(fails("gopher-quality", &format!("{} {}", words(80, 5), "... ".repeat(10)), "gopher.ellipses"));
}

#[test]
fn gopher_counts_lines_with_bullets_and_ellipses() {
    let lines = |marked: usize, mark: &dyn Fn(usize) -> String| {
        (0..10).map(|i| if i < marked { mark(i) } else { format!("line {i}") }).collect::<Vec<_>>().join("\n")
    };
    assert!(!fails("gopher-quality", &lines(9, &|i| format!("- item {i}")), "gopher.bullet_lines"));
    assert!(fails("gopher-quality", &lines(10, &|i| format!(" • item {i}")), "gopher.bullet_lines"));
    assert!(!fails("gopher-quality", &lines(3, &|i| format!("item {i}...")), "gopher.ellipsis_lines"));
    assert!(fails("gopher-quality", &lines(4, &|i| format!("item {i}… ")), "gopher.ellipsis_lines"));
}

#[test]
fn gopher_counts_words_with_letters_and_stop_words() {
    assert!(!fails("gopher-quality", &format!("{} {}", words(80, 5), "12 ".repeat(20)), "gopher.alphabetic_words"));
    assert!(fails("gopher-quality", &format!("{} {}", words(79, 5), "12 ".repeat(21)), "gopher.alphabetic_words"));
    assert!(fails("gopher-quality", &format!("{} the the The", words(60, 5)), "gopher.stop_words"));
    assert!(!fails("gopher-quality", &format!("{} the of", words(60, 5)), "gopher.stop_words"));
}

#[test]
fn own_stop_words_serve_another_language() {
    let german = GopherQuality {
        stop_words: ["der", "und"].map(String::from).to_vec(),
        min_words: 5,
        ..GopherQuality::default()
    };
    let quality = Quality { filters: vec![Filter::GopherQuality(german)], ..Quality::default() };
    assert!(quality.check("Der Mann und der Hund gehen heute spazieren.", Some("de")).passes());
    assert!(!quality.check("Mann Hund Haus Baum gehen heute spazieren.", Some("de")).passes());
}

#[test]
fn gopher_counts_repeated_lines_and_paragraphs() {
    let unique = |n: usize| {
        (0..n).map(|i| format!("{i:03} a line of its own, which is much longer than the others")).collect::<Vec<_>>()
    };
    for (rule, joint) in [("gopher.duplicate_lines", "\n"), ("gopher.duplicate_paragraphs", "\n\n")] {
        let text = |copies: usize| [unique(10 - copies), vec!["x".to_owned(); copies]].concat().join(joint);
        assert!(!fails("gopher-repetition", &text(4), rule));
        assert!(fails("gopher-repetition", &text(5), rule));
    }
    // 2 of 10 lines of equal length, less line feeds, are below 20 % of the characters; 3 are above.
    let text = |copies: usize, joint: &str| {
        let mut lines = unique(10 - copies);
        lines.extend(vec![lines[0].clone(); copies]);
        lines.join(joint)
    };
    for (rule, joint) in [("gopher.duplicate_line_characters", "\n"), ("gopher.duplicate_paragraph_characters", "\n\n")]
    {
        assert!(!fails("gopher-repetition", &text(2, joint), rule));
        assert!(fails("gopher-repetition", &text(3, joint), rule));
    }
}

#[test]
fn gopher_measures_runs_of_words() {
    for (n, bound) in [(2, 0.2), (3, 0.18), (4, 0.16)] {
        let rule = format!("gopher.top_{n}_gram");
        // Runs of n words of five letters among words that occur once. A run has 6n - 1 characters.
        let text = |copies: usize| {
            let run = words(n, 5);
            let rest = words(200, 6);
            let mut rest = rest.split(' ');
            let mut out = Vec::new();
            for _ in 0..copies {
                out.push(run.clone());
                out.extend(rest.by_ref().take(1).map(String::from));
            }
            out.extend(rest.map(String::from));
            out.join(" ")
        };
        let share = |copies: usize| (copies * (6 * n - 1)) as f64 / text(copies).chars().count() as f64;
        let over = (2..150).find(|c| share(*c) > bound).unwrap();
        assert!(fails("gopher-repetition", &text(over), &rule), "{rule}");
        assert!(!fails("gopher-repetition", &text(over - 1), &rule), "{rule}");
    }
    for (i, n) in (5..=10).enumerate() {
        let rule = format!("gopher.duplicate_{n}_grams");
        let bound = [0.15, 0.14, 0.13, 0.12, 0.11, 0.10][i];
        // One run occurs twice; the second one counts without spaces.
        let text = |others: usize| format!("{0} {1} {0}", words(n, 5), words(others, 6));
        let share = |others: usize| (5 * n) as f64 / text(others).chars().count() as f64;
        let under = (1..500).find(|o| share(*o) <= bound).unwrap();
        assert!(!fails("gopher-repetition", &text(under), &rule), "{rule}");
        assert!(fails("gopher-repetition", &text(under - 1), &rule), "{rule}");
    }
}

fn sentences(n: usize) -> String {
    (0..n).map(|i| format!("Line number {i} is whole.")).collect::<Vec<_>>().join("\n")
}

#[test]
fn c4_counts_sentences() {
    assert!(fails("c4", &sentences(4), "c4.sentences"));
    assert!(failed("c4", &sentences(5), "en").is_empty());
    // Five sentences on one line, and abbreviations that end none.
    assert!(failed("c4", "We left. It was cold! Was it? It was. All the better.", "en").is_empty());
    assert!(fails("c4", "Mr. Dale met Dr. Moss in St. Ives at 5 p.m. on a day.", "c4.sentences"));
}

#[test]
fn c4_drops_lines() {
    let quality = Quality::new(&["c4"]).unwrap();
    let long = |n: usize| format!("A word {} here.", "x".repeat(n));
    let cases = [
        ("A menu without an end", true),
        ("He left and then...", true),
        ("Two words.", true),
        ("Now three words.", false),
        ("He said \"it is so\"", false),
        ("Please switch on JavaScript to read.", true),
        ("Read our Privacy Policy for more.", true),
        (&long(1001), true),
        (&long(1000), false),
    ];
    for (line, dropped) in cases {
        let report = quality.check(&format!("{}\n{line}", sentences(5)), Some("en"));
        assert_eq!(report.dropped_lines, usize::from(dropped), "{line:.40}");
        assert_eq!(report.text.is_some(), dropped, "{line:.40}");
    }
    let cited = quality.check(&format!("{}\nIt was so.[12][citation needed]", sentences(5)), None);
    assert!(cited.text.unwrap().ends_with("\nIt was so."));
}

#[test]
fn c4_fails_on_placeholders_and_code() {
    let with = |line: &str| format!("{}\n{line}", sentences(5));
    assert!(fails("c4", &with("Lorem ipsum dolor sit amet."), "c4.lorem_ipsum"));
    assert!(fails("c4", &with("Then if (x) { return; } is run."), "c4.curly_bracket"));
    // As in C4's code, a line that was dropped before does not count.
    assert!(!fails("c4", &with("function() {"), "c4.curly_bracket"));
    let open = Quality { filters: vec![Filter::C4(C4 { end_mark: false, ..C4::default() })], ..Quality::default() };
    assert!(!open.check(&with("A function f() { it is"), None).passes());
}

#[test]
fn bad_words_drop_only_when_asked() {
    let mut quality = Quality::new(&["refinedweb"]).unwrap();
    quality.bad_words = Some(BadWords::new("darn\nvery bad\n嘘つき\n"));
    let report = quality.check("A darn text, very  bad indeed, and 彼は嘘つきだ.", None);
    assert_eq!((report.bad_words, report.passes()), (Some(3), true));
    quality.drop_bad_words = true;
    assert_eq!(quality.check("A darn text is here.", None).failed[0].to_string(), "c4.bad_words 1 > 0");
    assert!(quality.check("A darned text is here.", None).passes());
}

#[test]
fn fineweb_measures_lines() {
    let end = |ended: usize| {
        (0..25)
            .map(|i| format!("{i:02} some words on a line of the usual length{}", if i < ended { "." } else { "" }))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(fails("fineweb", &end(2), "fineweb.ended_lines"));
    assert!(!fails("fineweb", &end(3), "fineweb.ended_lines"));
    // Full stops of other scripts end lines, too.
    assert!(!failed("fineweb", &end(0).replace("length", "length。"), "ja").contains(&"fineweb.ended_lines"));
    let short = |short: usize| {
        (0..100)
            .map(|i| format!("{i:03}{}", "x".repeat(if i < short { 27 } else { 28 })))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(!fails("fineweb", &short(67), "fineweb.short_lines"));
    assert!(fails("fineweb", &short(68), "fineweb.short_lines"));
    // A repeated line of 5 characters among 500 and 499.
    let twice = |n: usize| format!("12345\n{}\n12345", "y".repeat(n));
    assert!(!fails("fineweb", &twice(490), "fineweb.duplicate_characters"));
    assert!(fails("fineweb", &twice(489), "fineweb.duplicate_characters"));
    let feeds = |n: usize| format!("{}{}", words(10, 5), "\n".repeat(n));
    assert!(!fails("fineweb", &feeds(3), "fineweb.newlines_per_word"));
    assert!(fails("fineweb", &feeds(4), "fineweb.newlines_per_word"));
}

#[test]
fn refinedweb_drops_lines_and_pages() {
    let quality = Quality::new(&["refinedweb"]).unwrap();
    let body = format!("{}.", words(200, 6));
    for line in [
        "LATEST NEWS from US",
        "12 / 2024",
        "3 likes",
        "1.2k views",
        "Home",
        "Sign in to read",
        "More on this: Read more...",
        "2 items in cart",
    ] {
        let report = quality.check(&format!("{body}\n{line}"), None);
        assert_eq!((report.dropped_lines, report.text.as_deref()), (1, Some(body.as_str())), "{line}");
        assert!(report.passes(), "{line}");
    }
    for line in [
        "NATO met in Rome today",
        "He bought 3 cars",
        "He likes it",
        "To sign in takes a minute or so",
        "Только строка текста",
    ] {
        assert_eq!(quality.check(&format!("{body}\n{line}"), None).dropped_lines, 0, "{line}");
    }
    // More than 5 % of the words: 10 of 200 pass, 11 of 200 fail.
    let share = |dropped: usize| format!("{}\n{}", words(200 - dropped, 6), vec!["Home"; dropped].join("\n"));
    assert!(quality.check(&share(10), None).passes());
    assert!(!quality.check(&share(11), None).passes());
}

#[test]
fn culturax_has_parameters_by_language() {
    let french = "Nous sommes partis tôt le matin et la route était vide jusque dans la ville.";
    assert_eq!(failed("culturax", french, "fr"), [""; 0]);
    // The same words do not suffice for Hindi's least number.
    assert!(failed("culturax", french, "hi").contains(&"culturax.words"));
    let n = |n: usize, language: &str| failed("culturax", &words(n, 6), language).contains(&"culturax.words");
    for (language, least) in [("en", 20), ("pt", 19), ("es", 16), ("ar", 20), ("vi", 30), ("sw", 10)] {
        assert!(n(least - 1, language) && !n(least, language), "{language}");
    }
    assert!(failed("culturax", &words(30, 6), "en").contains(&"culturax.stop_words"));
    assert!(!failed("culturax", &words(30, 6), "sw").contains(&"culturax.stop_words"));
    assert!(fails("culturax", &"spam and eggs, ".repeat(20), "culturax.character_repetition"));
    assert!(fails("culturax", &"spam and eggs, ".repeat(20), "culturax.word_repetition"));
    // English allows 40 % of special characters, Arabic 30 %.
    let special = |n: usize| format!("{}{}", "x".repeat(100 - n), "-".repeat(n));
    for (n, language, fail) in [(40, "en", false), (41, "en", true), (30, "ar", false), (31, "ar", true)] {
        assert_eq!(
            failed("culturax", &special(n), language).contains(&"culturax.special_characters"),
            fail,
            "{n} {language}"
        );
    }
}

#[test]
fn reasons_show_the_value_and_the_bound() {
    let report = Quality::new(&["gopher-quality"]).unwrap().check(&words(60, 11), Some("en"));
    assert_eq!(report.failed[0].to_string(), "gopher.mean_word_length 11 > 10");
    assert!(Quality::new(&["c4", "c5"]).unwrap_err().contains("'c5'"));
}

#[test]
fn the_composite_corrects_before_the_last_filter() {
    // Without end marks no line fails C4's rule in FineWeb's order.
    let text = (0..12)
        .map(|i| format!("{} and the other of them is {i} here", words(9, 7).replace('b', &format!("{i}"))))
        .collect::<Vec<_>>()
        .join("\n");
    let rules = failed("fineweb-all", &format!("{text}\nWe use cookies here now."), "en");
    assert!(!rules.contains(&"c4.sentences"), "{rules:?}");
    let report = Quality::new(&["fineweb-all"]).unwrap().check(&format!("{text}\nWe use cookies here now."), None);
    assert_eq!(report.dropped_lines, 1);
}

#[test]
fn hostile_texts_take_linear_time() {
    let quality = Quality::new(&NAMES).unwrap();
    let size = 1 << 20;
    let hostile = ["x", "\n", "(", ".", "a-", "a.b", "1 ", "'s", "x\n", "@", "中", "a/"];
    for pattern in hostile {
        let small = pattern.repeat(size / 8 / pattern.len());
        let large = pattern.repeat(size / pattern.len());
        let time = |text: &str| {
            (0..3)
                .map(|_| {
                    let start = std::time::Instant::now();
                    let _ = quality.check(text, Some("en"));
                    start.elapsed().as_secs_f64()
                })
                .fold(f64::MAX, f64::min)
        };
        let (small, large) = (time(&small), time(&large));
        // Eight times the text: 64 times the time would be quadratic.
        assert!(large < 30.0 * small + 0.2, "{pattern:?}: {small} s, {large} s");
    }
    assert!(quality.check("", None).failed.iter().any(|f| f.rule == "gopher.empty"));
}
