//! A sentence per language, written for this project.
use maintext_language::{detect, languages, shares};

const SENTENCES: &[(&str, &str, &str)] = &[
    ("af", "Latn", "Ons het vroeg vertrek, want die pad was nog leeg en die weer was mooi."),
    ("am", "Ethi", "በጠዋት ተነስተን ወደ ገበያ ሄድን ነገር ግን መንገዱ ተዘግቶ ነበር።"),
    ("ar", "Arab", "غادرنا المدينة في الصباح الباكر وكانت الطريق خالية من السيارات."),
    ("az", "Latn", "Biz səhər tezdən yola düşdük, çünki yol hələ boş idi və hava gözəl idi."),
    ("be", "Cyrl", "Мы выехалі рана раніцай, бо дарога была яшчэ пустая, а надвор'е добрае."),
    ("bg", "Cyrl", "Тръгнахме рано сутринта, защото пътят беше още празен, а времето хубаво."),
    ("bn", "Beng", "আমরা খুব ভোরে রওনা হয়েছিলাম, কারণ তখন রাস্তা ফাঁকা ছিল।"),
    ("ca", "Latn", "Vam sortir molt d'hora al matí perquè la carretera encara era buida."),
    ("cs", "Latn", "Vyrazili jsme brzy ráno, protože silnice byla ještě prázdná a bylo pěkně."),
    ("cy", "Latn", "Fe wnaethon ni adael yn gynnar yn y bore gan fod y ffordd yn wag."),
    ("da", "Latn", "Vi tog af sted tidligt om morgenen, fordi vejen stadig var tom."),
    ("de", "Latn", "Wir sind früh am Morgen losgefahren, weil die Straße noch leer war."),
    ("el", "Grek", "Φύγαμε νωρίς το πρωί, γιατί ο δρόμος ήταν ακόμα άδειος."),
    ("en", "Latn", "We left early in the morning because the road was still empty."),
    ("eo", "Latn", "Ni foriris frue matene, ĉar la vojo estis ankoraŭ malplena."),
    ("es", "Latn", "Salimos muy temprano por la mañana porque la carretera todavía estaba vacía."),
    ("et", "Latn", "Me lahkusime varahommikul, sest tee oli veel tühi ja ilm oli ilus."),
    ("eu", "Latn", "Goizean goiz irten ginen, errepidea oraindik hutsik zegoelako."),
    ("fa", "Arab", "ما صبح زود راه افتادیم، چون جاده هنوز خالی بود و هوا خوب بود."),
    ("fi", "Latn", "Lähdimme aikaisin aamulla, koska tie oli vielä tyhjä ja sää oli kaunis."),
    ("fr", "Latn", "Nous sommes partis tôt le matin parce que la route était encore vide."),
    ("ga", "Latn", "D'fhágamar go luath ar maidin mar bhí an bóthar fós folamh."),
    ("gl", "Latn", "Saímos moi cedo pola mañá porque a estrada aínda estaba baleira e facía bo tempo."),
    ("gu", "Gujr", "અમે વહેલી સવારે નીકળ્યા, કારણ કે રસ્તો ખાલી હતો."),
    ("he", "Hebr", "יצאנו מוקדם בבוקר כי הכביש עדיין היה ריק."),
    ("hi", "Deva", "हम सुबह जल्दी निकल गए क्योंकि सड़क अभी भी खाली थी और मौसम अच्छा था।"),
    ("hu", "Latn", "Korán reggel indultunk el, mert az út még üres volt, és szép idő volt."),
    ("hy", "Armn", "Մենք մեկնեցինք վաղ առավոտյան, քանի որ ճանապարհը դեռ դատարկ էր։"),
    ("id", "Latn", "Kami berangkat pagi-pagi sekali karena jalanan masih kosong dan cuacanya bagus."),
    ("is", "Latn", "Við lögðum af stað snemma um morguninn því að vegurinn var enn auður."),
    ("it", "Latn", "Siamo partiti la mattina presto perché la strada era ancora vuota."),
    ("ja", "Jpan", "道がまだ空いていたので、私たちは朝早く出発しました。"),
    ("ka", "Geor", "დილით ადრე გავედით, რადგან გზა ჯერ კიდევ ცარიელი იყო."),
    ("kk", "Cyrl", "Біз таңертең ерте жолға шықтық, өйткені жол әлі бос еді."),
    ("km", "Khmr", "យើងបានចេញដំណើរពីព្រលឹម ព្រោះផ្លូវនៅទំនេរ។"),
    ("kn", "Knda", "ನಾವು ಬೆಳಿಗ್ಗೆ ಬೇಗ ಹೊರಟೆವು, ಏಕೆಂದರೆ ರಸ್ತೆ ಖಾಲಿಯಾಗಿತ್ತು."),
    ("ko", "Kore", "길이 아직 비어 있었기 때문에 우리는 아침 일찍 출발했다."),
    ("lo", "Laoo", "ພວກເຮົາອອກເດີນທາງແຕ່ເຊົ້າ ເພາະວ່າຖະໜົນຍັງວ່າງ."),
    ("lt", "Latn", "Išvažiavome anksti rytą, nes kelias dar buvo tuščias, o oras gražus."),
    ("lv", "Latn", "Mēs izbraucām agri no rīta, jo ceļš vēl bija tukšs un laiks bija jauks."),
    ("mk", "Cyrl", "Тргнавме рано наутро затоа што патот сè уште беше празен."),
    ("ml", "Mlym", "ഞങ്ങൾ അതിരാവിലെ പുറപ്പെട്ടു, കാരണം റോഡ് ശൂന്യമായിരുന്നു."),
    ("mn", "Cyrl", "Зам хоосон байсан тул бид өглөө эрт хөдөлсөн."),
    ("mr", "Deva", "आम्ही सकाळी लवकर निघालो कारण रस्ता अजूनही रिकामा होता आणि हवामान चांगले होते."),
    ("my", "Mymr", "လမ်းရှင်းနေသောကြောင့် ကျွန်ုပ်တို့ မနက်စောစော ထွက်ခွာခဲ့ကြသည်။"),
    ("ne", "Deva", "हामी बिहान सबेरै निस्कियौं किनभने बाटो अझै खाली थियो र मौसम राम्रो थियो।"),
    ("nl", "Latn", "We zijn vroeg in de ochtend vertrokken omdat de weg nog leeg was."),
    ("no", "Latn", "Vi dro tidlig om morgenen fordi veien fortsatt var tom, og ingen hadde våknet ennå."),
    ("nn", "Latn", "Me reiste tidleg om morgonen fordi vegen framleis var tom, og ingen hadde vakna enno."),
    ("pa", "Guru", "ਅਸੀਂ ਸਵੇਰੇ ਜਲਦੀ ਨਿਕਲ ਗਏ ਕਿਉਂਕਿ ਸੜਕ ਖਾਲੀ ਸੀ।"),
    ("pl", "Latn", "Wyruszyliśmy wcześnie rano, ponieważ droga była jeszcze pusta."),
    ("pt", "Latn", "Saímos muito cedo pela manhã porque a estrada ainda estava vazia e não havia ninguém."),
    ("ro", "Latn", "Am plecat dimineața devreme, pentru că drumul era încă gol."),
    ("ru", "Cyrl", "Мы выехали рано утром, потому что дорога была ещё пустой."),
    ("si", "Sinh", "පාර හිස්ව තිබූ නිසා අපි උදේම පිටත් වුණෙමු."),
    ("sk", "Latn", "Vyrazili sme skoro ráno, pretože cesta bola ešte prázdna a bolo pekne."),
    ("sl", "Latn", "Odpravili smo se zgodaj zjutraj, ker je bila cesta še prazna."),
    ("so", "Latn", "Waxaan baxnay aroortii hore sababtoo ah waddadu weli way madhnayd."),
    ("sq", "Latn", "U nisëm herët në mëngjes, sepse rruga ishte ende bosh."),
    ("sr", "Cyrl", "Кренули смо рано ујутру јер је пут још увек био празан."),
    ("sv", "Latn", "Vi gav oss av tidigt på morgonen eftersom vägen fortfarande var tom."),
    ("sw", "Latn", "Tuliondoka mapema asubuhi kwa sababu barabara ilikuwa bado haina magari."),
    ("ta", "Taml", "சாலை காலியாக இருந்ததால் நாங்கள் அதிகாலையில் புறப்பட்டோம்."),
    ("te", "Telu", "రోడ్డు ఖాళీగా ఉన్నందున మేము తెల్లవారుజామున బయలుదేరాము."),
    ("th", "Thai", "เราออกเดินทางแต่เช้าเพราะถนนยังว่างอยู่"),
    ("tl", "Latn", "Maaga kaming umalis kaninang umaga dahil wala pang tao sa daan."),
    ("tr", "Latn", "Sabah erkenden yola çıktık çünkü yol hâlâ boştu ve hava güzeldi."),
    ("uk", "Cyrl", "Ми виїхали рано-вранці, тому що дорога була ще порожня."),
    ("ur", "Arab", "ہم صبح سویرے روانہ ہوئے کیونکہ سڑک ابھی تک خالی تھی۔"),
    ("vi", "Latn", "Chúng tôi khởi hành từ sáng sớm vì đường vẫn còn vắng."),
    ("yi", "Hebr", "מיר זענען אַרױסגעפֿאָרן פֿרי אין דער פֿרי, װײַל דער װעג איז נאָך געװען לײדיק."),
    ("zh", "Hans", "因为路上还没有人，我们一大早就出发了，天气也很好。"),
    ("zh", "Hant", "因為路上還沒有人，我們一大早就出發了，天氣也很好。"),
];

#[test]
fn a_sentence_of_each_language() {
    let found = |text| detect(text).map(|d| (d.language, d.script));
    let wrong: Vec<_> =
        SENTENCES.iter().filter(|s| found(s.2) != Some((s.0, s.1))).map(|s| (s.0, detect(s.2))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(SENTENCES.len() > 70);
}

#[test]
fn languages_and_scripts_are_counted_once() {
    let mut all: Vec<_> = languages().collect();
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    assert!(count >= 190, "{count}");
    for (language, script, _) in SENTENCES {
        assert!(all.contains(&(language, script)), "{language} {script}");
    }
}

#[test]
fn text_without_letters_has_no_language() {
    for text in ["", " \n\t", "1234 5678.90", "😀🎉👍🏽", "--- *** ///", "\u{200b}\u{feff}", "€ 12,50 %"] {
        assert_eq!(detect(text), None, "{text:?}");
        assert!(shares(text).is_empty(), "{text:?}");
    }
}

/// The languages of a text with their shares in percent.
fn percent(text: &str) -> Vec<(&'static str, u32)> {
    shares(text).iter().map(|s| (s.language, (s.share * 100.0).round() as u32)).collect()
}

#[test]
fn a_mixed_page_by_paragraphs() {
    let text = "Wir sind früh am Morgen losgefahren, weil die Straße noch leer war.\n\
                Kaffee, 7:30\n\n\
                We left early in the morning because the road was still empty.\n\
                Мы выехали рано утром, потому что дорога была ещё пустой и нигде не было людей.\n";
    let found = percent(text);
    let languages: Vec<_> = found.iter().map(|f| f.0).collect();
    assert_eq!(languages, ["ru", "de", "en"], "the short line belongs to its neighbour: {found:?}");
    let sum: f32 = shares(text).iter().map(|s| s.share).sum();
    assert!((sum - 1.0).abs() < 1e-5);
}

#[test]
fn short_paragraphs_have_the_language_of_the_text() {
    let text = "Menu\nNous sommes partis tôt le matin parce que la route était encore vide.\nParis\nContact\n";
    assert_eq!(percent(text), [("fr", 100)]);
    assert_eq!(percent("Guten Tag\nDanke schön\nAuf Wiedersehen").len(), 1);
}

#[test]
fn the_score_grows_with_the_text() {
    let score = |text: &str| detect(text).map_or(0.0, |d| d.score);
    let sentence = "Vi tog af sted tidligt om morgenen, fordi vejen stadig var tom.";
    assert!(score("vejen") < score(sentence));
    assert!(score(&sentence.repeat(3)) >= score(sentence));
    assert!(score(&format!("{sentence} Мы выехали рано утром")) < score(sentence));
}

#[test]
fn random_bytes_and_huge_lines() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for size in [1, 7, 100, 5000] {
        let bytes: Vec<u8> = (0..size).map(|_| next()).collect();
        let text = String::from_utf8_lossy(&bytes);
        if let Some(d) = detect(&text) {
            assert!((0.0..=1.0).contains(&d.score));
        }
        let sum: f32 = shares(&text).iter().map(|s| s.share).sum();
        assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-4);
    }
    let letters = "abcdefghij".repeat(20_000);
    assert!(detect(&letters).is_some(), "a line of 200 KB without spaces");
    assert!(detect(&"е\u{301}".repeat(10_000)).is_some());
    assert_eq!(shares(&"a\n".repeat(2_000)).len(), 1);
}

#[test]
fn case_does_not_matter() {
    assert_eq!(detect("ВЫЕХАЛИ РАНО УТРОМ"), detect("выехали рано утром"));
    assert_eq!(detect("ÅRSTID OG VEJR"), detect("årstid og vejr"));
}

/// Scores have the same bits on every machine, so that a corpus that was filtered by them can be made again.
#[test]
fn scores_have_the_same_bits_everywhere() {
    let mut bits = [0u32; SENTENCES.len()];
    for (bits, (_, _, sentence)) in bits.iter_mut().zip(SENTENCES) {
        *bits = detect(sentence).unwrap().score.to_bits();
    }
    // FNV-1a over all of them; a few show how far they are off.
    let hash = bits
        .iter()
        .flat_map(|b| b.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let at = |code: &str| bits[SENTENCES.iter().position(|s| s.0 == code).unwrap()];
    assert_eq!(
        ["de", "ru", "zh", "ar", "hi"].map(at),
        [1_065_339_791, 1_065_350_049, 1_062_502_362, 1_065_353_174, 1_065_174_537]
    );
    assert_eq!(hash, 1_790_268_631_468_208_627);
}
