//! The languages that are detected, by script.
use unicode_script::Script;

/// A script of several languages; the model chooses among them.
pub(crate) struct LanguageGroup {
    pub(crate) script: Script,
    /// BCP 47 tags of languages, in the order of the model's outputs.
    pub(crate) languages: &'static [&'static str],
}

/// The scripts of several languages. The model's outputs follow this order.
pub(crate) const GROUPS: &[LanguageGroup] = &[
    LanguageGroup {
        script: Script::Latin,
        languages: &[
            "af", "ak", "ast", "ay", "az", "bi", "bm", "br", "bs", "ca", "ceb", "co", "cs", "cy", "da", "de", "ee",
            "en", "eo", "es", "et", "eu", "ff", "fi", "fj", "fo", "fr", "fur", "fy", "ga", "gd", "gl", "gn", "gsw",
            "gv", "ha", "haw", "hil", "hmn", "hr", "hsb", "ht", "hu", "ia", "id", "ig", "ilo", "is", "it", "jv", "kab",
            "kg", "kl", "ku", "la", "lb", "lg", "lij", "ln", "lt", "lus", "lv", "mfe", "mg", "mi", "min", "ms", "mt",
            "nds", "nl", "nn", "no", "nr", "nso", "ny", "oc", "om", "pam", "pap", "pl", "pt", "qu", "rm", "rn", "ro",
            "rw", "sc", "sco", "se", "sg", "sk", "sl", "sm", "sn", "so", "sq", "sr", "ss", "st", "su", "sv", "sw",
            "tet", "tk", "tl", "tn", "to", "tpi", "tr", "ts", "ty", "uz", "ve", "vec", "vi", "wa", "war", "wo", "xh",
            "yo", "za", "zu",
        ],
    },
    LanguageGroup {
        script: Script::Cyrillic,
        languages: &[
            "ab", "be", "bg", "cv", "kk", "ky", "mk", "mn", "os", "ru", "sah", "sr", "tg", "tt", "tyv", "udm", "uk",
            "uz",
        ],
    },
    LanguageGroup { script: Script::Arabic, languages: &["ar", "ckb", "fa", "ps", "sd", "skr", "ug", "ur"] },
    LanguageGroup { script: Script::Devanagari, languages: &["bho", "hi", "mai", "mr", "ne", "sa"] },
    LanguageGroup { script: Script::Hebrew, languages: &["he", "yi"] },
    LanguageGroup { script: Script::Ethiopic, languages: &["am", "ti"] },
    LanguageGroup { script: Script::Bengali, languages: &["as", "bn"] },
    LanguageGroup { script: Script::Tibetan, languages: &["bo", "dz"] },
    LanguageGroup { script: Script::Myanmar, languages: &["mnw", "my", "shn"] },
    LanguageGroup { script: Script::Han, languages: &["ja", "yue", "zh-Hans", "zh-Hant"] },
];

/// The scripts of one language each.
pub(crate) const SINGLE: &[(Script, &str)] = &[
    (Script::Adlam, "ff"),
    (Script::Armenian, "hy"),
    (Script::Balinese, "ban"),
    (Script::Canadian_Aboriginal, "iu"),
    (Script::Cham, "cjm"),
    (Script::Cherokee, "chr"),
    (Script::Coptic, "cop"),
    (Script::Georgian, "ka"),
    (Script::Gothic, "got"),
    (Script::Greek, "el"),
    (Script::Gujarati, "gu"),
    (Script::Gurmukhi, "pa"),
    (Script::Hangul, "ko"),
    (Script::Hiragana, "ja"),
    (Script::Javanese, "jv"),
    (Script::Kannada, "kn"),
    (Script::Katakana, "ja"),
    (Script::Khmer, "km"),
    (Script::Lao, "lo"),
    (Script::Limbu, "lif"),
    (Script::Malayalam, "ml"),
    (Script::Meetei_Mayek, "mni"),
    (Script::Mongolian, "mn"),
    (Script::Nko, "nqo"),
    (Script::Ol_Chiki, "sat"),
    (Script::Oriya, "or"),
    (Script::Sinhala, "si"),
    (Script::Sundanese, "su"),
    (Script::Syriac, "syr"),
    (Script::Tai_Tham, "nod"),
    (Script::Tamil, "ta"),
    (Script::Telugu, "te"),
    (Script::Thaana, "dv"),
    (Script::Thai, "th"),
    (Script::Tifinagh, "zgh"),
    (Script::Vai, "vai"),
    (Script::Yi, "ii"),
];
