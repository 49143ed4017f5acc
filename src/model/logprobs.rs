//! Probabilities of tokens, from a reply as it came.

use serde_json::Value;

/// One token of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// The tokens that could have stood here, with the natural logarithms of their probabilities; this one among them.
    pub alternatives: Vec<(String, f64)>,
}

/// The tokens of an answer, from the body of a chat completion (`choices[0].logprobs.content`); `None` when it tells no
/// probabilities. A token twice in its list counts once.
pub fn tokens(body: &str) -> Option<Vec<Token>> {
    let json: Value = serde_json::from_str(body).ok()?;
    let content = json["choices"].get(0)?["logprobs"]["content"].as_array()?;
    let choice = |value: &Value| Some((value["token"].as_str()?.to_owned(), value["logprob"].as_f64()?));
    let tokens: Option<Vec<Token>> = content
        .iter()
        .map(|token| {
            let own = choice(token)?;
            let listed = token["top_logprobs"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(choice);
            let mut alternatives: Vec<(String, f64)> = Vec::new();
            for (text, logprob) in listed.chain([own.clone()]) {
                if logprob <= 1e-6 && !alternatives.iter().any(|(known, _)| *known == text) {
                    alternatives.push((text, logprob));
                }
            }
            Some(Token {
                text: own.0,
                alternatives,
            })
        })
        .collect();
    tokens.filter(|tokens| !tokens.is_empty())
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn tokens_of_a_documented_body() {
        let body = r#"{"choices": [{"message": {"content": "no"}, "logprobs": {"content": [
            {"token": "no", "logprob": -0.1, "top_logprobs": [
                {"token": "no", "logprob": -0.1}, {"token": "yes", "logprob": -2.4}]}]}}]}"#;
        let found = tokens(body).unwrap();
        assert_eq!(found[0].text, "no");
        assert_eq!(
            found[0].alternatives,
            [("no".to_owned(), -0.1), ("yes".to_owned(), -2.4)]
        );
        for none in [
            "no",
            r#"{"choices": [{"message": {"content": "no"}, "logprobs": null}]}"#,
            r#"{"choices": []}"#,
        ] {
            assert_eq!(tokens(none), None, "{none}");
        }
    }
}
