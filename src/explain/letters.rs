//! The characters of a text as its reader takes them: small letters without accents; what nothing shows left out; a letter of
//! another script that looks like a Latin one as that one (Unicode Technical Standard 39); any script's digit as 0 to 9.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

use super::work;

/// A character with the bytes of the text that it stands for.
pub(super) type Letter = (char, Range<usize>);

/// Between the numbers of a fraction in one character, such as `¼`.
pub(super) const FRACTION_SLASH: char = '\u{2044}';

/// The text's characters, folded.
pub(super) fn letters(text: &str) -> Vec<Letter> {
    let mut found: Vec<Letter> = Vec::with_capacity(text.len());
    let mut hidden_until = 0;
    for (at, character) in text.char_indices() {
        let place = at..at + character.len_utf8();
        if at < hidden_until {
            continue;
        }
        work::count(1);
        if character == '&'
            && let Some(length) = hidden_entity(text.get(at..).unwrap_or_default())
        {
            hidden_until = at + length;
        } else if character.is_ascii() {
            found.push((character.to_ascii_lowercase(), place));
        } else if let Some(length) = written_out(text.get(at..).unwrap_or_default()) {
            hidden_until = at + length;
        } else if !is_ignorable(character) {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let is_power = is_superscript(character)
                && !before.is_some_and(is_superscript)
                && found.last().is_some_and(|(letter, _)| letter.is_ascii_digit());
            if is_power {
                // `10²` is no 102.
                found.push(('^', at..at));
            }
            fold(character, &place, &mut found);
        }
    }
    found
}

/// Digits and signs of a power.
fn is_superscript(character: char) -> bool {
    matches!(character, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '⁺' | '⁻')
}

/// A letter that no accent makes of a Latin one, as it is written without it.
fn plain(small: char) -> Option<&'static str> {
    Some(match small {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ŋ' => "n",
        'ŧ' => "t",
        'þ' => "th",
        'ĸ' => "k",
        _ => return None,
    })
}

fn fold(character: char, place: &Range<usize>, found: &mut Vec<Letter>) {
    if let Some(digit) = digit(character) {
        found.push((digit, place.clone()));
        return;
    }
    let parts = std::iter::once(character)
        .nfkd()
        .filter(|part| !is_combining_mark(*part))
        .flat_map(char::to_lowercase);
    let first = found.len();
    for part in parts {
        match plain(part) {
            Some(letters) => found.extend(letters.chars().map(|letter| (letter, place.clone()))),
            None => found.push((latin(part, character), place.clone())),
        }
    }
    if found[first..].iter().any(|(part, _)| *part == FRACTION_SLASH) && first < found.len() - 1 {
        // `2½` is no 21.
        found.insert(first, (' ', place.start..place.start));
    }
}

/// The letter that one drawn in a circle or square is, or a small capital. Neither Unicode's decompositions nor its look-alikes
/// have them.
fn drawn_otherwise(written: char) -> Option<char> {
    const SMALL_CAPITALS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ\u{0}ʏᴢ";
    let code = u32::from(written);
    let place = match code {
        // Circled, squared, and the letters that flags are made of.
        0x1F150..=0x1F169 => code - 0x1F150,
        0x1F170..=0x1F189 => code - 0x1F170,
        0x1F1E6..=0x1F1FF => code - 0x1F1E6,
        _ => SMALL_CAPITALS.chars().position(|capital| capital == written)? as u32,
    };
    char::from_digit(place + 10, 36)
}

/// The Latin letter that a letter looks like, small or capital, if it looks like one.
fn latin(small: char, written: char) -> char {
    if small.is_ascii() {
        return small;
    }
    if let Some(letter) = drawn_otherwise(written) {
        return letter;
    }
    if !small.is_alphabetic() {
        return small;
    }
    let looks = |character: char| {
        let text = character.to_string();
        let mut like = skeleton(&text);
        match (like.next(), like.next()) {
            (Some(only), None) if only.is_ascii_alphabetic() => Some(only.to_ascii_lowercase()),
            _ => None,
        }
    };
    looks(written)
        .or_else(|| looks(small))
        .or_else(|| small.to_uppercase().next().and_then(looks))
        .unwrap_or(small)
}

/// How long the sign is that a page shows for a character which nothing would show: `⟨U+200B⟩`.
fn written_out(text: &str) -> Option<usize> {
    const LONGEST: usize = 6;
    let rest = text.strip_prefix("⟨U+")?;
    // No further: a text may begin such a sign a thousand times and end none.
    let digits = rest.bytes().take(LONGEST).take_while(u8::is_ascii_hexdigit).count();
    let ends = rest.get(digits..)?.starts_with('⟩');
    (ends && digits >= 4).then_some(text.len() - rest.len() + digits + '⟩'.len_utf8())
}

/// How long an entity is that would show nothing if it were read as one: `&shy;`, `&#x200b;`.
fn hidden_entity(text: &str) -> Option<usize> {
    const LONGEST: usize = 16;
    const NAMES: &[&str] = &["shy", "zwj", "zwnj", "ZeroWidthSpace", "NoBreak"];
    let rest = text.strip_prefix('&')?;
    let end = rest.bytes().take(LONGEST + 1).position(|byte| byte == b';')?;
    let name = rest.get(..end)?;
    let code = || {
        let code = name.strip_prefix('#')?;
        let code = match code.strip_prefix(['x', 'X']) {
            Some(code) => u32::from_str_radix(code, 16),
            None => code.parse(),
        };
        code.ok().and_then(char::from_u32)
    };
    (NAMES.contains(&name) || code().is_some_and(|character| !character.is_ascii() && is_ignorable(character)))
        .then_some(end + 2)
}

/// Unicode's default-ignorable code points, and controls.
fn is_ignorable(character: char) -> bool {
    matches!(
        u32::from(character),
        0x80..=0x9f | 0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff
    )
}

/// The ASCII digit of a decimal digit of any script (general category Nd).
fn digit(character: char) -> Option<char> {
    /// The zero of each script; its other digits follow.
    const ZEROS: &[u32] = &[
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
        0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
        0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0,
        0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50,
        0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2,
        0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
    ];
    let code = u32::from(character);
    let zero = ZEROS.get(ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?)?;
    char::from_digit(code - zero, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        letters(text).into_iter().map(|(letter, _)| letter).collect()
    }

    #[test]
    fn letters_are_taken_as_their_reader_takes_them() {
        for (text, expected) in [
            ("Ångström ÉCOLE ﬁn ③", "angstrom ecole fin 3"),
            ("Рetrel Οslо", "petrel oslo"),
            ("Pet\u{ad}r\u{200b}el Pet⟨U+200B⟩rel", "petrel petrel"),
            ("١١٢ १२ ７", "112 12 7"),
            ("P\u{336}e\u{336}t\u{336}", "pet"),
            ("2½", "2 1\u{2044}2"),
            ("東京 привет", "東京 пpиbet"),
            ("Straße STRASSE STRAẞE", "strasse strasse strasse"),
            ("⟨U+⟩ ⟨x⟩", "⟨u+⟩ ⟨x⟩"),
            ("TROMSØ Łódź Đorđe", "tromso lodz dorde"),
            ("Æthelred œuvre Þór Guðni", "aethelred oeuvre thor gudni"),
            ("Ħal ŋ kadın", "hal n kadin"),
            ("Ꮲetrel ꓑetrel ⲣetrel", "petrel petrel petrel"),
            ("ᴘᴇᴛʀᴇʟ 🅿🅴🆃🆁🅴🅻 🅟🅔🅣🅡🅔🅛 🇵🇪🇹🇷🇪🇱", "petrel petrel petrel petrel"),
            ("𝐏𝘦𝓉𝖗𝚎𝕝 Ⓟⓔⓣⓡⓔⓛ Ｐｅｔｒｅｌ", "petrel petrel petrel"),
            ("10² 10⁻¹ x² ¹¹²", "10^2 10^\u{2212}1 x2 112"),
            (
                "Os&shy;lo Os&#x200B;lo R&D; A&amp;B &#80;",
                "oslo oslo r&d; a&amp;b &#80;",
            ),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn every_letter_has_its_place() {
        let text = "a\u{200b}é⟨U+00AD⟩½z";
        for (letter, place) in letters(text) {
            assert!(text.get(place.clone()).is_some(), "{letter} {place:?}");
        }
    }
}
