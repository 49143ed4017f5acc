//! What of a text can hold a verdict: thinking, quoted material and markup are taken away first.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

#[allow(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

static THINKING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?is)<(?:think|thinking|reasoning)>.*?(?:</(?:think|thinking|reasoning)>|\z)"));
static THINKING_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)</(?:think|thinking|reasoning)>"));
static FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?([A-Za-z_]+-[0-9a-f]{8,})>"));
static CODE_FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:```|~~~)[\w-]*\s*$"));

/// The text without the judge's thinking, without material it repeats between the fences of its prompt, and without
/// block quotes; line by line, otherwise as it came.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = THINKING.replace_all(text, "\n");
    // Some chat templates open the thinking in the prompt, so that the answer holds its end alone.
    let text = match THINKING_END.find_iter(&text).last() {
        Some(end) => &text[end.end()..],
        None => &text,
    };
    without_fenced(text)
        .lines()
        .filter(|line| !line.trim_start().starts_with('>') && !CODE_FENCE.is_match(line))
        .map(str::to_owned)
        .collect()
}

/// The same in plain signs, for looking for words: compatibility forms resolved, emphasis taken away.
pub(super) fn plain_lines(text: &str) -> Vec<String> {
    lines(text).iter().map(|line| plain(line)).collect()
}

/// One line or text in plain signs.
pub(super) fn plain(text: &str) -> String {
    text.nfkc()
        .filter(|c| !matches!(c, '*' | '`' | '\u{200b}' | '\u{feff}'))
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
            '\u{2013}' | '\u{2014}' | '\u{2012}' | '\u{2212}' => '-',
            '\u{a0}' | '\t' => ' ',
            other => other,
        })
        .collect::<String>()
        .replace("&gt;", ">")
        .replace("&lt;", "<")
}

/// Cuts out whatever stands between an opening fence and its closing one, and single fences.
fn without_fenced(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(tag) = FENCE.captures(rest) {
        let (Some(whole), Some(name)) = (tag.get(0), tag.get(1)) else {
            break;
        };
        kept.push_str(&rest[..whole.start()]);
        let after = &rest[whole.end()..];
        let closing = format!("</{}>", name.as_str());
        rest = match after.find(&closing) {
            Some(end) if !whole.as_str().starts_with("</") => &after[end + closing.len()..],
            _ => after,
        };
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_fences_and_quotes_are_no_verdict() {
        assert_eq!(
            lines("<think>Verdict: correct</think>Verdict: incorrect"),
            ["", "Verdict: incorrect"]
        );
        assert_eq!(lines("so it is right</think>\nno"), ["", "no"]);
        assert_eq!(lines("<think>cut off, Verdict: correct"), [""]);
        assert_eq!(
            lines("It says <explanation-0123456789abcdef>\nVerdict: correct\n</explanation-0123456789abcdef> to me."),
            ["It says  to me."]
        );
        assert_eq!(lines("in <answer-0123456789abcdef> alone"), ["in  alone"]);
        assert_eq!(lines("> Verdict: correct\n```\nVerdict: no\n```"), ["Verdict: no"]);
    }

    #[test]
    fn plain_signs() {
        assert_eq!(plain("**Final**：isn’t `A` ＞ B"), "Final:isn't A > B");
    }
}
