//! Month names of 45 languages, in the forms used in dates: nominative, genitive, abbreviated.
use crate::metadata::ranking::rank::FastMap;
use std::ops::Range;
use std::sync::LazyLock;

/// A language and its twelve months, forms separated by `/`. Abbreviations are written without a dot.
const MONTHS: &[(&str, &str)] = &[
    (
        "en",
        "january/jan february/feb/febr march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct november/nov december/dec",
    ),
    (
        "de",
        "januar/jän/jänner/jan februar/feber/feb märz/mrz/maerz/mär april/apr mai juni/jun juli/jul august/aug september/sep/sept oktober/okt november/nov dezember/dez",
    ),
    (
        "fr",
        "janvier/janv/jan février/févr/fév/fevrier/fev mars/mar avril/avr mai juin/jui juillet/juil août/aout/aoû septembre/sept/sep octobre/oct novembre/nov décembre/déc/decembre/dec",
    ),
    (
        "es",
        "enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago septiembre/setiembre/sept/sep/set octubre/oct noviembre/nov diciembre/dic",
    ),
    (
        "pt",
        "janeiro/jan fevereiro/fev março/mar/marco abril/abr maio/mai junho/jun julho/jul agosto/ago setembro/set outubro/out novembro/nov dezembro/dez",
    ),
    (
        "it",
        "gennaio/gen/genn febbraio/feb/febb marzo/mar aprile/apr maggio/mag/magg giugno/giu luglio/lug agosto/ago settembre/set/sett ottobre/ott novembre/nov dicembre/dic",
    ),
    (
        "nl",
        "januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sept/sep oktober/okt november/nov december/dec",
    ),
    (
        "sv",
        "januari/jan februari/feb mars/mar april/apr maj juni/jun juli/jul augusti/aug september/sept/sep oktober/okt november/nov december/dec",
    ),
    (
        "da",
        "januar/jan februar/feb marts/mar april/apr maj juni/jun juli/jul august/aug september/sept/sep oktober/okt november/nov december/dec",
    ),
    (
        "no",
        "januar/jan februar/feb mars/mar april/apr mai juni/jun juli/jul august/aug september/sept/sep oktober/okt november/nov desember/des",
    ),
    (
        "is",
        "janúar/jan febrúar/feb mars/mar apríl/apr maí júní/jún júlí/júl ágúst/ágú september/sep/sept október/okt nóvember/nóv desember/des",
    ),
    (
        "fi",
        "tammikuu/tammikuuta/tammikuun/tammi helmikuu/helmikuuta/helmikuun/helmi maaliskuu/maaliskuuta/maaliskuun/maalis huhtikuu/huhtikuuta/huhtikuun/huhti toukokuu/toukokuuta/toukokuun/touko kesäkuu/kesäkuuta/kesäkuun/kesä heinäkuu/heinäkuuta/heinäkuun/heinä elokuu/elokuuta/elokuun/elo syyskuu/syyskuuta/syyskuun/syys lokakuu/lokakuuta/lokakuun/loka marraskuu/marraskuuta/marraskuun/marras joulukuu/joulukuuta/joulukuun/joulu",
    ),
    (
        "et",
        "jaanuar/jaan veebruar/veebr märts aprill mai juuni juuli august september/sept oktoober/okt november/nov detsember/dets",
    ),
    (
        "lv",
        "janvāris/janvārī/janv februāris/februārī/febr marts/martā aprīlis/aprīlī maijs/maijā jūnijs/jūnijā jūlijs/jūlijā augusts/augustā septembris/septembrī oktobris/oktobrī novembris/novembrī decembris/decembrī",
    ),
    (
        "lt",
        "sausis/sausio/saus vasaris/vasario/vas kovas/kovo balandis/balandžio/bal gegužė/gegužės/geg birželis/birželio/birž liepa/liepos rugpjūtis/rugpjūčio/rugp rugsėjis/rugsėjo/rugs spalis/spalio/spal lapkritis/lapkričio/lapkr gruodis/gruodžio/gruod",
    ),
    (
        "pl",
        "styczeń/stycznia/sty luty/lutego/lut marzec/marca/mar kwiecień/kwietnia/kwi maj/maja czerwiec/czerwca/cze lipiec/lipca/lip sierpień/sierpnia/sie wrzesień/września/wrz październik/października/paź listopad/listopada/lis grudzień/grudnia/gru",
    ),
    (
        "cs",
        "leden/ledna/led únor/února/úno březen/března/bře duben/dubna/dub květen/května/kvě červen/června/čvn červenec/července/čvc srpen/srpna/srp září/zář říjen/října/říj listopad/listopadu/lis prosinec/prosince/pro",
    ),
    (
        "sk",
        "január/januára/jan február/februára/feb marec/marca/mar apríl/apríla/apr máj/mája jún/júna júl/júla august/augusta/aug september/septembra/sep október/októbra/okt november/novembra/nov december/decembra/dec",
    ),
    (
        "sl",
        "januar/januarja/jan februar/februarja/feb marec/marca/mar april/aprila/apr maj/maja junij/junija/jun julij/julija/jul avgust/avgusta/avg september/septembra/sep oktober/oktobra/okt november/novembra/nov december/decembra/dec",
    ),
    (
        "hr",
        "siječanj/siječnja/sij veljača/veljače/velj ožujak/ožujka/ožu travanj/travnja/tra svibanj/svibnja/svi lipanj/lipnja/lip srpanj/srpnja/srp kolovoz/kolovoza/kol rujan/rujna/ruj listopad/listopada/lis studeni/studenog/studenoga/stu prosinac/prosinca/pro",
    ),
    (
        "sr",
        "januar/januara/јануар/јануара/јан februar/februara/фебруар/фебруара/феб mart/marta/март/марта/мар april/aprila/април/априла/апр maj/maja/мај/маја jun/juna/јун/јуна jul/jula/јул/јула avgust/avgusta/avg/август/августа/авг septembar/septembra/септембар/септембра/сеп oktobar/oktobra/октобар/октобра/окт novembar/novembra/новембар/новембра/нов decembar/decembra/децембар/децембра/дец",
    ),
    (
        "mk",
        "јануари/јан февруари/фев март/мар април/апр мај јуни/јун јули/јул август/авг септември/сеп/септ октомври/окт ноември/ноем декември/дек",
    ),
    (
        "bg",
        "януари/ян/яну февруари/фев март/мар април/апр май юни юли август/авг септември/сеп/септ октомври/окт ноември/ное декември/дек",
    ),
    (
        "ru",
        "январь/января/янв февраль/февраля/фев/февр март/марта/мар апрель/апреля/апр май/мая июнь/июня/июн июль/июля/июл август/августа/авг сентябрь/сентября/сен/сент октябрь/октября/окт ноябрь/ноября/ноя/нояб декабрь/декабря/дек",
    ),
    (
        "uk",
        "січень/січня/січ лютий/лютого/лют березень/березня/бер квітень/квітня/кві/квіт травень/травня/тра/трав червень/червня/чер/черв липень/липня/лип серпень/серпня/сер/серп вересень/вересня/вер жовтень/жовтня/жов/жовт листопад/листопада/лис грудень/грудня/гру/груд",
    ),
    (
        "be",
        "студзень/студзеня люты/лютага сакавік/сакавіка красавік/красавіка травень/траўня/мая чэрвень/чэрвеня ліпень/ліпеня жнівень/жніўня верасень/верасня кастрычнік/кастрычніка лістапад/лістапада снежань/снежня",
    ),
    (
        "el",
        "ιανουάριος/ιανουαρίου/ιαν φεβρουάριος/φεβρουαρίου/φεβ μάρτιος/μαρτίου/μαρ/μάρ απρίλιος/απριλίου/απρ μάιος/μαΐου/μαΐ/μαϊ/μάι ιούνιος/ιουνίου/ιουν/ιούν ιούλιος/ιουλίου/ιουλ/ιούλ αύγουστος/αυγούστου/αυγ/αύγ σεπτέμβριος/σεπτεμβρίου/σεπ/σεπτ οκτώβριος/οκτωβρίου/οκτ νοέμβριος/νοεμβρίου/νοε/νοέ δεκέμβριος/δεκεμβρίου/δεκ",
    ),
    (
        "tr",
        "ocak/oca şubat/şub mart/mar nisan/nis mayıs/may haziran/haz temmuz/tem ağustos/ağu eylül/eyl ekim/eki kasım/kas aralık/ara",
    ),
    (
        "az",
        "yanvar/yan fevral/fev mart/mar aprel/apr may iyun/iyn iyul/iyl avqust/avq sentyabr/sen oktyabr/okt noyabr/noy dekabr/dek",
    ),
    (
        "uz",
        "yanvar/yan fevral/fev mart/mar aprel/apr may iyun iyul avgust/avg sentabr/sentyabr/sen oktabr/oktyabr/okt noyabr/noy dekabr/dek",
    ),
    (
        "kk",
        "қаңтар/қаң ақпан/ақп наурыз/нау сәуір/сәу мамыр/мам маусым/мау шілде/шіл тамыз/там қыркүйек/қыр қазан/қаз қараша/қар желтоқсан/жел",
    ),
    (
        "hu",
        "január/jan február/febr/feb március/márc/már április/ápr május/máj június/jún július/júl augusztus/aug szeptember/szept/szep október/okt november/nov december/dec",
    ),
    (
        "ro",
        "ianuarie/ian februarie/feb martie/mar aprilie/apr mai iunie/iun iulie/iul august/aug septembrie/sept/sep octombrie/oct noiembrie/noi/nov decembrie/dec",
    ),
    (
        "sq",
        "janar/jan shkurt/shk mars/mar prill/pri maj qershor/qer korrik/kor gusht/gus shtator/sht tetor/tet nëntor/nën dhjetor/dhj",
    ),
    (
        "ca",
        "gener/gen febrer/febr març/mar abril/abr maig juny/jun juliol/jul agost/ag setembre/set octubre/oct novembre/nov desembre/des",
    ),
    (
        "gl",
        "xaneiro/xan febreiro/feb marzo/mar abril/abr maio/mai xuño/xuñ xullo/xul agosto/ago setembro/set outubro/out novembro/nov decembro/dec",
    ),
    (
        "eu",
        "urtarrila/urtarrilaren/urt otsaila/otsailaren/ots martxoa/martxoaren/mar apirila/apirilaren/api maiatza/maiatzaren/mai ekaina/ekainaren/eka uztaila/uztailaren/uzt abuztua/abuztuaren/abu iraila/irailaren/ira urria/urriaren/urr azaroa/azaroaren/aza abendua/abenduaren/abe",
    ),
    (
        "cy",
        "ionawr/ion chwefror/chwe mawrth/maw ebrill/ebr mai mehefin/meh gorffennaf/gor awst/aws medi/med hydref/hyd tachwedd/tach rhagfyr/rhag",
    ),
    (
        "ga",
        "eanáir/ean feabhra/feabh márta/már aibreán/aib bealtaine/beal meitheamh/meith iúil lúnasa/lún meánfómhair deireadh-fómhair samhain/samhna nollaig/nollag",
    ),
    (
        "mt",
        "jannar/jan frar/fra marzu/mar april/apr mejju/mej ġunju/ġun lulju/lul awwissu/aww settembru/set ottubru/ott novembru/nov diċembru/diċ",
    ),
    (
        "id",
        "januari/jan februari/feb/pebruari maret/mar april/apr mei juni/jun juli/jul agustus/agu/ags/agt september/sep oktober/okt november/nov/nopember desember/des",
    ),
    (
        "ms",
        "januari/jan februari/feb mac april/apr mei jun julai/jul ogos/ogo september/sep oktober/okt november/nov disember/dis",
    ),
    (
        "tl",
        "enero/ene pebrero/peb marso/mar abril/abr mayo/may hunyo/hun hulyo/hul agosto/ago setyembre/set oktubre/okt nobyembre/nob disyembre/dis",
    ),
    (
        "sw",
        "januari/jan februari/feb machi/mac aprili/apr mei juni/jun julai/jul agosti/ago septemba/sep oktoba/okt novemba/nov desemba/des",
    ),
    (
        "af",
        "januarie/jan februarie/feb maart/mrt april/apr mei junie/jun julie/jul augustus/aug september/sep oktober/okt november/nov desember/des",
    ),
    (
        "eo",
        "januaro/jan februaro/feb marto/mar aprilo/apr majo/maj junio/jun julio/jul aŭgusto/aŭg septembro/sep oktobro/okt novembro/nov decembro/dec",
    ),
    (
        "ar",
        "يناير/جانفي فبراير/فيفري مارس أبريل/ابريل/إبريل/أفريل مايو/ماي يونيو/يونيه/جوان يوليو/يوليوز/يوليه/جويلية أغسطس/اغسطس/غشت/أوت سبتمبر/شتنبر أكتوبر/اكتوبر نوفمبر/نونبر ديسمبر/دجنبر",
    ),
    (
        "ar-LV",
        "كانون-الثاني شباط آذار/اذار نيسان أيار/ايار حزيران تموز آب أيلول/ايلول تشرين-الأول تشرين-الثاني كانون-الأول",
    ),
    ("ur", "جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر"),
    (
        "he",
        "ינואר/בינואר/ינו פברואר/בפברואר/פבר מרץ/במרץ/מרס אפריל/באפריל/אפר מאי/במאי יוני/ביוני יולי/ביולי אוגוסט/באוגוסט/אוג ספטמבר/בספטמבר/ספט אוקטובר/באוקטובר/אוק נובמבר/בנובמבר/נוב דצמבר/בדצמבר/דצמ",
    ),
    (
        "hi",
        "जनवरी/जन फरवरी/फ़रवरी/फर मार्च अप्रैल/अप्रै मई जून जुलाई/जुल अगस्त/अग सितंबर/सितम्बर/सित अक्टूबर/अक्तूबर/अक्टू नवंबर/नवम्बर/नव दिसंबर/दिसम्बर/दिस",
    ),
    ("mr", "जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर"),
    ("ne", "जनवरी फेब्रुअरी मार्च अप्रिल मे जुन जुलाई अगस्ट सेप्टेम्बर अक्टोबर नोभेम्बर डिसेम्बर"),
    ("bn", "জানুয়ারি/জানুয়ারী/জানু ফেব্রুয়ারি/ফেব্রুয়ারী/ফেব মার্চ এপ্রিল মে জুন জুলাই আগস্ট/আগষ্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর"),
    ("ta", "ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்"),
    ("te", "జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్"),
    ("gu", "જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ સપ્ટેમ્બર ઑક્ટોબર નવેમ્બર ડિસેમ્બર"),
    (
        "th",
        "มกราคม/ม-ค กุมภาพันธ์/ก-พ มีนาคม/มี-ค เมษายน/เม-ย พฤษภาคม/พ-ค มิถุนายน/มิ-ย กรกฎาคม/ก-ค สิงหาคม/ส-ค กันยายน/ก-ย ตุลาคม/ต-ค พฤศจิกายน/พ-ย ธันวาคม/ธ-ค",
    ),
    (
        "ka",
        "იანვარი/იან თებერვალი/თებ მარტი/მარ აპრილი/აპრ მაისი/მაი ივნისი/ივნ ივლისი/ივლ აგვისტო/აგვ სექტემბერი/სექ ოქტომბერი/ოქტ ნოემბერი/ნოე დეკემბერი/დეკ",
    ),
    (
        "hy",
        "հունվար/հունվարի փետրվար/փետրվարի մարտ/մարտի ապրիլ/ապրիլի մայիս/մայիսի հունիս/հունիսի հուլիս/հուլիսի օգոստոս/օգոստոսի սեպտեմբեր/սեպտեմբերի հոկտեմբեր/հոկտեմբերի նոյեմբեր/նոյեմբերի դեկտեմբեր/դեկտեմբերի",
    ),
    ("fa", "ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر"),
];

/// Months of the Persian solar calendar.
const JALALI: &[&str] =
    &["فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"];

/// All forms, sorted, each with its month and its language (an index of [`MONTHS`]).
static FORMS: LazyLock<Vec<(&str, u8, u8)>> = LazyLock::new(|| {
    let mut forms = Vec::new();
    for (l, (_, months)) in MONTHS.iter().enumerate() {
        for (m, alternatives) in months.split(' ').enumerate() {
            forms.extend(alternatives.split('/').map(|form| (form, m as u8 + 1, l as u8)));
        }
    }
    forms.sort_unstable();
    forms
});

/// The range of each form in [`FORMS`].
static PLACES: LazyLock<FastMap<&str, Range<usize>>> = LazyLock::new(|| {
    let mut out = FastMap::default();
    let mut from = 0;
    for same in FORMS.chunk_by(|a, b| a.0 == b.0) {
        out.insert(same[0].0, from..from + same.len());
        from += same.len();
    }
    out
});

/// For each first byte, the lengths in bytes of the months that begin with it, as bits.
static LENGTHS: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut out = [0; 256];
    for word in FORMS.iter().map(|f| f.0).filter(|w| w.len() < 64) {
        out[word.bytes().next().unwrap_or(0) as usize] |= 1 << word.len();
    }
    out
});

/// The first bytes of months of two words.
static TWO_WORDS: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut out = [false; 256];
    for word in FORMS.iter().map(|f| f.0).filter(|w| w.contains('-')) {
        out[word.as_bytes()[0] as usize] = true;
    }
    out
});

/// Returns whether a lower-case word may be the first of a two-word month.
pub(crate) fn may_begin_two(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| TWO_WORDS[first as usize])
}

/// Returns whether a word in any case may be a month or its first word; rejects most words without lower-casing them.
pub(crate) fn may_be_month(word: &str) -> bool {
    if !word.is_ascii() {
        return true;
    }
    let first = word.bytes().next().unwrap_or(0).to_ascii_lowercase() as usize;
    (word.len() < 64 && LENGTHS[first] >> word.len() & 1 == 1) || TWO_WORDS[first]
}

/// Returns the month of a lower-case word, 1 to 12. Where languages differ (`listopad`), the BCP 47 tag `language` decides; if it does not,
/// the meaning in most languages wins.
pub(crate) fn month(word: &str, language: &str) -> Option<u8> {
    // First byte and length rule out nearly every word.
    let lengths = word.bytes().next().map_or(0, |first| LENGTHS[first as usize]);
    if word.len() >= 64 || lengths >> word.len() & 1 == 0 {
        return None;
    }
    let same = &FORMS[PLACES.get(word)?.clone()];
    let first = same.first()?.1;
    if same.iter().all(|f| f.1 == first) {
        return Some(first);
    }
    let primary = language.split(['-', '_']).next().unwrap_or("");
    if let Some(f) = same.iter().find(|f| MONTHS[f.2 as usize].0 == primary) {
        return Some(f.1);
    }
    (1..=12).max_by_key(|m| (same.iter().filter(|f| f.1 == *m).count(), 12 - m))
}

/// Returns the month of the Persian calendar that a word names, 1 to 12.
pub(crate) fn jalali_month(word: &str) -> Option<u8> {
    JALALI.iter().position(|m| *m == word).map(|m| m as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_twelve_months() {
        assert!(MONTHS.len() >= 40);
        for (language, months) in MONTHS {
            assert_eq!(months.split(' ').count(), 12, "{language}");
        }
    }

    #[test]
    fn the_language_decides_between_meanings() {
        assert_eq!(month("listopada", "hr-HR"), Some(10));
        assert_eq!(month("listopada", "pl"), Some(11));
        assert_eq!(month("august", "xx"), Some(8));
        assert_eq!(month("monday", "en"), None);
    }
}
