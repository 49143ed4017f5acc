//! Which family a model belongs to, by its identifier: a judge may favour the words of its own family.

/// What identifiers hold, and the family they tell.
const FAMILIES: [(&str, &str); 41] = [
    ("gpt", "GPT"),
    ("chatgpt", "GPT"),
    ("davinci", "GPT"),
    ("o1", "GPT"),
    ("o3", "GPT"),
    ("o4", "GPT"),
    ("claude", "Claude"),
    ("gemini", "Gemini"),
    ("gemma", "Gemini"),
    ("palm", "Gemini"),
    ("llama", "Llama"),
    ("codellama", "Llama"),
    ("qwen", "Qwen"),
    ("qwq", "Qwen"),
    ("mistral", "Mistral"),
    ("mixtral", "Mistral"),
    ("ministral", "Mistral"),
    ("deepseek", "DeepSeek"),
    ("phi", "Phi"),
    ("command", "Command"),
    ("grok", "Grok"),
    ("glm", "GLM"),
    ("yi", "Yi"),
    ("falcon", "Falcon"),
    ("olmo", "OLMo"),
    ("granite", "Granite"),
    ("pixtral", "Mistral"),
    ("codestral", "Mistral"),
    ("magistral", "Mistral"),
    ("devstral", "Mistral"),
    ("codegemma", "Gemini"),
    ("medgemma", "Gemini"),
    ("vicuna", "Llama"),
    ("alpaca", "Llama"),
    ("kimi", "Kimi"),
    ("aya", "Command"),
    ("nova", "Nova"),
    ("jamba", "Jamba"),
    ("minimax", "MiniMax"),
    ("smollm", "SmolLM"),
    ("internlm", "InternLM"),
];

/// The family of a model by the identifier sent to its endpoint; `None` when the identifier tells none.
///
/// A model distilled from another family's (`deepseek-r1-distill-llama`) belongs to the one whose weights it has, which
/// its identifier names last.
pub fn family(identifier: &str) -> Option<&'static str> {
    let lower = identifier.to_lowercase();
    // The owner before the last `/` is no part of the name: `meta-llama/...` may serve anything.
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let family_of = |word: &str| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let known = |found: &str| {
            FAMILIES
                .iter()
                .find(|(known, _)| *known == found)
                .map(|(_, family)| *family)
        };
        known(word).or_else(|| known(bare))
    };
    words.filter_map(family_of).next_back()
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn families_by_identifier() {
        for (identifier, expected) in [
            ("gpt-4o-mini", Some("GPT")),
            ("o3-mini", Some("GPT")),
            ("openai/gpt-oss-20b", Some("GPT")),
            ("Qwen/Qwen2.5-7B-Instruct", Some("Qwen")),
            ("qwen3:8b", Some("Qwen")),
            ("meta-llama/Llama-3.1-8B", Some("Llama")),
            ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", Some("Llama")),
            ("claude-3-5-sonnet", Some("Claude")),
            ("gemma-2-9b-it", Some("Gemini")),
            ("my-own-model", None),
            ("", None),
        ] {
            assert_eq!(family(identifier), expected, "{identifier}");
        }
    }
}
