//! Replies and errors as endpoints really send them, and as they never should.

use proptest::prelude::*;

use super::super::{Message, Purpose, Sampling};
use super::*;

fn answer(text: &str, finish: FinishReason) -> Answer {
    Answer {
        text: text.to_owned(),
        finish,
        refusal: None,
        usage: None,
    }
}

#[test]
fn base_urls_come_to_one_form() {
    let same = [
        "http://localhost:8080",
        "http://localhost:8080/",
        "http://localhost:8080/v1",
        " http://LOCALHOST:8080/v1/ ",
        "http://localhost:8080/v1//",
        "http://localhost:8080/v1/chat/completions",
    ];
    for base_url in same {
        assert_eq!(
            Address::parse(base_url).unwrap().base_url,
            "http://localhost:8080/v1",
            "{base_url}"
        );
    }
    let address = Address::parse("https://openrouter.ai/api/v1/").unwrap();
    assert_eq!(address.chat(), "https://openrouter.ai/api/v1/chat/completions");
    assert_eq!(address.models(), "https://openrouter.ai/api/v1/models");
    assert_eq!(
        Address::parse("https://host/v1beta/openai/").unwrap().base_url,
        "https://host/v1beta/openai"
    );
    for wrong in [
        "localhost:8080",
        "",
        "ftp://host/v1",
        "http://host/v1?key=1",
        "http://host/#v1",
        "http://",
    ] {
        assert!(Address::parse(wrong).is_err(), "{wrong}");
    }
    let message = Address::parse("https://me:hunter2secret@host/v1").unwrap_err();
    assert!(
        message.contains("api_key_env") && !message.contains("hunter2secret"),
        "{message}"
    );
}

#[test]
fn customary_key_goes_to_openai_and_this_machine_alone() {
    let takes = |base_url| Address::parse(base_url).unwrap().takes_customary_key;
    for base_url in [
        "https://api.openai.com/v1",
        "http://127.0.0.1:1",
        "http://[::1]:80",
        "http://localhost",
    ] {
        assert!(takes(base_url), "{base_url}");
    }
    for base_url in [
        "http://api.openai.com/v1",
        "https://api.openai.com.example.org",
        "https://localhost.example.org",
    ] {
        assert!(!takes(base_url), "{base_url}");
    }
}

#[test]
fn body_has_what_is_set_and_no_more() {
    let mut request = Request {
        purpose: Purpose {
            name: "p".to_owned(),
            sample: "s".to_owned(),
            arm: "a".to_owned(),
            turn: 0,
        },
        messages: vec![Message::system("S"), Message::user("U"), Message::assistant("A")],
        sampling: Sampling::default(),
        repeat: 3,
    };
    let messages = json!([
        {"role": "system", "content": "S"},
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "A"},
    ]);
    assert_eq!(
        body("m", &request, MaxTokensField::MaxTokens),
        json!({"model": "m", "messages": messages})
    );
    request.sampling = Sampling {
        temperature: Some(0.0),
        top_p: Some(1.0),
        max_tokens: Some(5),
        stop: vec!["\n\n".to_owned()],
        seed: Some(7),
        extra: [("stream", json!(true)), ("top_k", json!(1))]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
    };
    assert_eq!(
        body("m", &request, MaxTokensField::MaxCompletionTokens),
        json!({
            "model": "m", "messages": messages, "temperature": 0.0, "top_p": 1.0, "max_completion_tokens": 5,
            "stop": ["\n\n"], "seed": 7, "top_k": 1,
        })
    );
}

#[test]
fn answers_are_read_in_every_form() {
    let reply = |choice: Value| read(200, &json!({"choices": [choice]}).to_string());
    assert_eq!(
        reply(json!({"message": {"content": " TRUE\n"}, "finish_reason": "stop"})),
        Ok(answer(" TRUE\n", FinishReason::Stop))
    );
    assert_eq!(
        reply(json!({"message": {"content": ""}, "finish_reason": "stop"})),
        Ok(answer("", FinishReason::Stop))
    );
    assert_eq!(
        reply(json!({"message": {"content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"]}})),
        Ok(answer("ab", FinishReason::Other))
    );
    assert_eq!(
        reply(json!({"message": {"content": null}, "finish_reason": "length"})),
        Ok(answer("", FinishReason::Length))
    );
    assert_eq!(
        reply(json!({"message": {"content": null}, "finish_reason": "content_filter"})),
        Ok(answer("", FinishReason::ContentFilter))
    );
    let refused = reply(json!({"message": {"content": null, "refusal": "I cannot."}, "finish_reason": "stop"}));
    assert_eq!(refused.unwrap().refusal.as_deref(), Some("I cannot."));
}

#[test]
fn usage_counts_when_it_is_whole() {
    let usage = |usage: Value| {
        let body = json!({"choices": [{"message": {"content": "x"}}], "usage": usage});
        read(200, &body.to_string()).unwrap().usage
    };
    let both = Some(Usage {
        input_tokens: 12,
        output_tokens: 3,
    });
    assert_eq!(
        usage(json!({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15})),
        both
    );
    assert_eq!(usage(json!({"input_tokens": 12, "output_tokens": 3})), both);
    for half in [
        json!(null),
        json!({"prompt_tokens": 12}),
        json!({"prompt_tokens": -1, "completion_tokens": 1}),
        json!([]),
    ] {
        assert_eq!(usage(half.clone()), None, "{half}");
    }
}

#[test]
fn garbage_is_a_passing_fault() {
    let garbage = [
        "",
        "<html><body>Bad gateway</body></html>",
        "{\"choices\": [{\"message\": {\"cont",
        "[]",
        "null",
        "{}",
        "{\"choices\": []}",
        "{\"choices\": {}}",
        "{\"choices\": [null]}",
        "{\"choices\": [{\"message\": {\"content\": null}, \"finish_reason\": \"stop\"}]}",
        "{\"choices\": [{\"message\": {\"content\": 5}}]}",
        "{\"choices\": [{\"message\": {\"content\": []}}]}",
        "data: {\"choices\": []}\n\n",
    ];
    for body in garbage {
        assert!(
            matches!(read(200, body), Err(Fault::Passing(_))),
            "{body}: {:?}",
            read(200, body)
        );
    }
}

#[test]
fn errors_are_told_apart() {
    let error = |status, body: Value| read(status, &body.to_string()).unwrap_err();
    let openai = |code: &str| json!({"error": {"message": "M", "type": "invalid_request_error", "code": code}});
    let m = |status: u16| format!("status {status}: M");
    assert_eq!(error(400, openai("context_length_exceeded")), Fault::TooLong(m(400)));
    assert_eq!(
        error(
            400,
            json!({"error": {"code": 400, "message": "M", "type": "exceed_context_size_error", "n_ctx": 8}})
        ),
        Fault::TooLong(m(400))
    );
    let vllm = json!({"object": "error", "message": "This model's maximum context length is 8 tokens.", "code": 400});
    assert!(matches!(error(400, vllm), Fault::TooLong(_)));
    assert_eq!(error(400, openai("content_filter")), Fault::Filtered(m(400)));
    assert_eq!(error(401, openai("x")), Fault::Unauthorized(m(401)));
    assert_eq!(error(403, openai("x")), Fault::Unauthorized(m(403)));
    assert_eq!(error(429, openai("insufficient_quota")), Fault::Unauthorized(m(429)));
    assert_eq!(error(429, openai("rate_limit_exceeded")), Fault::Passing(m(429)));
    assert_eq!(error(500, openai("x")), Fault::Passing(m(500)));
    assert_eq!(
        error(503, json!("busy")),
        Fault::Passing("status 503: \"busy\"".to_owned())
    );
    assert_eq!(
        error(404, json!({"error": "no such model"})),
        Fault::Lasting("status 404: no such model".to_owned())
    );
    assert_eq!(
        error(422, json!({"detail": "no"})),
        Fault::Lasting("status 422: no".to_owned())
    );
    assert_eq!(
        read(302, ""),
        Err(Fault::Lasting("status 302: no explanation".to_owned()))
    );
    // A gateway's failure under the status of a success.
    assert!(matches!(
        error(200, json!({"error": {"code": 429, "message": "M"}})),
        Fault::Passing(_)
    ));
    assert!(matches!(
        error(200, json!({"error": {"message": "M"}})),
        Fault::Passing(_)
    ));
}

#[test]
fn messages_are_short_and_on_one_line() {
    let long = format!("a\u{1b}[31m\n\t{}", "b".repeat(100_000));
    let short = excerpt(&long);
    assert!(short.starts_with("a[31m bbb") && short.ends_with('…'), "{short}");
    assert!(short.chars().count() <= LONGEST_MESSAGE + 1);
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "choices",
        "message",
        "content",
        "text",
        "finish_reason",
        "refusal",
        "usage",
        "prompt_tokens",
        "error",
        "code",
        "type",
        "detail",
        "data",
        "id",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(names.clone(), inner, 0..4).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_reply_is_read_without_a_panic(status in 100_u16..1000, reply in any_json(), cut in 0_usize..200) {
        let text = reply.to_string();
        let _ = read(status, &text);
        let _ = read_models(&text);
        let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let _ = read(status, &text[..cut]);
    }

    #[test]
    fn a_text_comes_back_as_it_was(text in any::<String>()) {
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        prop_assert_eq!(read(200, &body.to_string()), Ok(answer(&text, FinishReason::Stop)));
    }
}

#[test]
fn pictures_go_in_parts_behind_the_text_and_plain_messages_stay_as_they_were() {
    let picture = crate::model::Picture::new(b"\x89PNG".to_vec());
    let request = Request {
        purpose: Purpose {
            name: "p".to_owned(),
            sample: "s".to_owned(),
            arm: "a".to_owned(),
            turn: 0,
        },
        messages: vec![
            Message::system("Be brief."),
            Message::user_with_pictures("What is it?", vec![picture.clone()]),
        ],
        sampling: Sampling::default(),
        repeat: 0,
    };
    let body = body("m", &request, MaxTokensField::MaxTokens);
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!(
        body["messages"][1],
        json!({"role": "user", "content": [
            {"type": "text", "text": "What is it?"},
            {"type": "text", "text": "Picture 1:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        ]})
    );
    // A record has the digest, not the bytes.
    let kept = serde_json::to_value(&request.messages[1]).unwrap();
    assert_eq!(kept["pictures"], json!([{"digest": picture.digest}]));
}
