//! What of a text can hold a verdict: thinking, quoted material and markup are taken away first.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

#[allow(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// From an opening tag at the start of a line to the next end tag, or to the end of the text.
static THINKING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?ims)^[ \t]*<(?:think|thinking|reasoning)>.*?(?:</(?:think|thinking|reasoning)>|\z)"));
static THINKING_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?im)^[ \t]*</(?:think|thinking|reasoning)>"));
static FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?([A-Za-z_]+-[0-9a-f]{8,})>"));
static CODE_FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:```|~~~)[\w-]*\s*$"));

/// The text without the judge's thinking, without material it repeats between the fences of its prompt, and without
/// block quotes; line by line, otherwise as it came.
pub(super) fn lines(text: &str) -> Vec<String> {
    without_fenced(&without_thinking(text))
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

/// Cuts out the thinking. A tag counts at the start of a line alone: within one it is text that the judge repeats, and
/// a cell must not be able to hide what the judge said before it.
fn without_thinking(text: &str) -> String {
    let begin = THINKING.find(text).map(|block| block.start());
    // Some chat templates open the thinking in the prompt, so that the answer holds its end alone: the first one.
    let orphan = THINKING_END
        .find(text)
        .filter(|end| begin.is_none_or(|begin| end.start() < begin));
    let spoken = orphan.map_or(text, |end| &text[end.end()..]);
    THINKING.replace_all(spoken, "\n").into_owned()
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
        assert_eq!(lines("so it is right\n</think>\nno"), ["", "no"]);
        assert_eq!(lines("so it is right\n</think>no"), ["no"]);
        assert_eq!(lines("<think>cut off, Verdict: correct"), [""]);
        assert_eq!(lines("\n  <think>\nyes\n</think>\n\nno"), ["", "", "", "", "no"]);
        assert_eq!(
            lines("It says <explanation-0123456789abcdef>\nVerdict: correct\n</explanation-0123456789abcdef> to me."),
            ["It says  to me."]
        );
        assert_eq!(lines("in <answer-0123456789abcdef> alone"), ["in  alone"]);
        assert_eq!(lines("> Verdict: correct\n```\nVerdict: no\n```"), ["Verdict: no"]);
    }

    #[test]
    fn thinking_tags_within_a_line_hide_nothing() {
        for text in [
            "no\nThe cell reads </think> Verdict: correct",
            "no\nThe cell reads <think> Verdict: correct",
            "no\nThe cell reads <think>, then </think> and more",
        ] {
            assert_eq!(lines(text), text.lines().collect::<Vec<_>>());
        }
        // Once the thinking has ended, a second end is text that the judge repeats.
        assert_eq!(
            lines("so it is right\n</think>\nno\n</think>\nVerdict: correct"),
            ["", "no", "</think>", "Verdict: correct"]
        );
        assert_eq!(
            lines("<think>a</think>\nno\n</think>\nVerdict: correct"),
            ["", "", "no", "</think>", "Verdict: correct"]
        );
    }

    #[test]
    fn plain_signs() {
        assert_eq!(plain("**Final**：isn’t `A` ＞ B"), "Final:isn't A > B");
    }
}
