//! The one place that does HTTP: an endpoint with its key, its retries and its patience.

use std::error::Error;
use std::sync::{Once, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, redirect};
use tokio::time::Instant;

use super::key::Identity;
use super::openai::{self, Address, Fault};
use super::provider::{Answer, Asked, Provider};
use super::retry;
use super::secret::Key;
use super::settings::MaxTokensField;
use super::stop::Stop;
use super::{CallError, Request};

/// The longest response body that is read, in bytes.
const LONGEST_BODY: usize = 16 << 20;

/// The longest time that making a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// What an endpoint is made of.
pub(crate) struct EndpointSettings {
    pub(crate) name: String,
    pub(crate) address: Address,
    pub(crate) model: String,
    pub(crate) max_tokens_field: MaxTokensField,
    pub(crate) key: Key,
    pub(crate) timeout: Duration,
    pub(crate) max_retries: u32,
    pub(crate) concurrency: usize,
    pub(crate) stop: Stop,
}

/// An OpenAI-compatible chat endpoint.
pub(crate) struct Endpoint {
    settings: EndpointSettings,
    client: OnceLock<Result<Client, String>>,
}

/// What came of one attempt.
struct Attempt {
    result: Result<Answer, Fault>,
    raw: String,
    /// When the endpoint says to come back.
    asked_wait: Option<Duration>,
}

impl Attempt {
    fn failed(fault: Fault) -> Self {
        Self {
            result: Err(fault),
            raw: String::new(),
            asked_wait: None,
        }
    }
}

/// A response, read to its end.
struct Response {
    status: u16,
    body: String,
    asked_wait: Option<Duration>,
}

impl Endpoint {
    /// An endpoint that has not been spoken to yet.
    pub(crate) fn new(settings: EndpointSettings) -> Self {
        Self {
            client: OnceLock::new(),
            settings,
        }
    }

    /// Most calls at once.
    pub(crate) fn concurrency(&self) -> usize {
        self.settings.concurrency
    }

    /// The connections. They are set up when they are first needed: a run that is answered from its store needs neither
    /// the certificates of this machine nor the time to read them.
    fn client(&self) -> Result<&Client, CallError> {
        let client = self.client.get_or_init(|| connect(&self.settings));
        client.as_ref().map_err(|message| CallError::Failed {
            message: format!("model `{}`: {message}", self.settings.name),
        })
    }

    /// The identifiers of the models that the endpoint lists; one attempt.
    pub(crate) async fn models(&self) -> Result<Vec<String>, CallError> {
        let request = self.authorized(self.client()?.get(self.settings.address.models()))?;
        let response = self
            .exchange(request)
            .await
            .map_err(|fault| self.final_error(fault, 1))?;
        if !(200..300).contains(&response.status) {
            let fault = openai::read(response.status, &response.body).err();
            let fault = fault.unwrap_or_else(|| Fault::Lasting(format!("status {}", response.status)));
            return Err(self.final_error(fault, 1));
        }
        openai::read_models(&response.body).ok_or_else(|| {
            let said = openai::excerpt(&response.body);
            self.final_error(Fault::Lasting(format!("the reply is no list of models: {said}")), 1)
        })
    }

    fn authorized(&self, request: RequestBuilder) -> Result<RequestBuilder, CallError> {
        match &self.settings.key {
            Key::None => Ok(request),
            Key::Given(key) => Ok(match key.header() {
                Some(header) => request.header(AUTHORIZATION, header),
                None => request,
            }),
            Key::Missing(message) => Err(CallError::Unauthorized {
                message: format!("model `{}` has no key: {message}", self.settings.name),
            }),
        }
    }

    /// Asks until there is an answer, a failure that would come again, or no attempt left.
    async fn ask_patiently(&self, request: &Request, key: &str) -> Asked {
        let settings = &self.settings;
        let client = match self.client() {
            Ok(client) => client,
            Err(error) => return Asked::refused(error),
        };
        let body = openai::body(&settings.model, request, settings.max_tokens_field).to_string();
        let began = Instant::now();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let post = client
                .post(settings.address.chat())
                .header(CONTENT_TYPE, "application/json")
                .body(body.clone());
            let attempt = match self.authorized(post) {
                Ok(post) => self.attempt(post).await,
                Err(error) => return Asked::refused(error),
            };
            let asked = |result| Asked {
                result,
                raw: attempt.raw.clone(),
                attempts,
                elapsed: began.elapsed(),
            };
            let fault = match attempt.result {
                Ok(answer) => return asked(Ok(answer)),
                Err(fault) => fault,
            };
            if !matches!(fault, Fault::Passing(_)) || attempts > settings.max_retries {
                return asked(Err(match fault {
                    Fault::Lasting(message) if openai::is_unsupported(&request.sampling, &message) => {
                        CallError::Unsupported {
                            message: self.lasting(&message),
                        }
                    }
                    fault => self.final_error(fault, attempts),
                }));
            }
            tokio::select! {
                biased;
                () = settings.stop.stopped() => return asked(Err(CallError::Stopped)),
                () = tokio::time::sleep(retry::wait(key, attempts, attempt.asked_wait)) => {}
            }
        }
    }

    async fn attempt(&self, request: RequestBuilder) -> Attempt {
        match self.exchange(request).await {
            Err(fault) => Attempt::failed(fault),
            Ok(response) => Attempt {
                result: openai::read(response.status, &response.body).map(|answer| self.clean(answer)),
                raw: response.body,
                asked_wait: response.asked_wait,
            },
        }
    }

    /// Sends a request and reads the whole response, within the time of one attempt.
    async fn exchange(&self, request: RequestBuilder) -> Result<Response, Fault> {
        let timeout = self.settings.timeout;
        match tokio::time::timeout(timeout, self.send(request)).await {
            Ok(result) => result,
            Err(_) => Err(Fault::Passing(format!(
                "no answer within {} s (`timeout_seconds`)",
                timeout.as_secs_f64()
            ))),
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, Fault> {
        let lost = |error: reqwest::Error| {
            let is_lasting = error.is_builder();
            let message = self.settings.key.redact(chain(&error.without_url()));
            if is_lasting {
                Fault::Lasting(message)
            } else {
                Fault::Passing(message)
            }
        };
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status().as_u16();
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map(|since| since.as_secs())
            .unwrap_or(0);
        let asked_wait = retry::asked_wait(response.headers(), now);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > LONGEST_BODY {
                return Err(Fault::Passing(format!(
                    "the reply is longer than {} MB",
                    LONGEST_BODY >> 20
                )));
            }
            body.extend_from_slice(&chunk);
        }
        let body =
            String::from_utf8(body).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(Response {
            status,
            body: self.settings.key.redact(body),
            asked_wait,
        })
    }

    /// An answer without the key, should the endpoint have written it in another way than it is written in the body.
    fn clean(&self, answer: Answer) -> Answer {
        let key = &self.settings.key;
        Answer {
            text: key.redact(answer.text),
            refusal: answer.refusal.map(|refusal| key.redact(refusal)),
            ..answer
        }
    }

    /// A fault as a trace or judgment holds it.
    fn final_error(&self, fault: Fault, attempts: u32) -> CallError {
        let settings = &self.settings;
        let place = format!("model `{}` at {}", settings.name, settings.address.base_url);
        let redact = |message: String| settings.key.redact(message);
        match fault {
            Fault::TooLong(message) => CallError::TooLong {
                model: settings.name.clone(),
                message: redact(message),
            },
            Fault::Filtered(message) => CallError::Filtered {
                message: redact(message),
            },
            Fault::Unauthorized(message) => {
                let advice = match settings.key {
                    Key::None => "no key was sent; name it by `api_key_env` or `api_key_file`",
                    Key::Given(_) | Key::Missing(_) => "check the key and its credit",
                };
                CallError::Unauthorized {
                    message: redact(format!("{place} refused the call ({message}); {advice}")),
                }
            }
            Fault::Passing(message) => CallError::Failed {
                message: redact(format!("{place} failed {attempts} times; last: {message}")),
            },
            Fault::Lasting(message) => CallError::Failed {
                message: format!("{}; check `base_url` and `model`", self.lasting(&message)),
            },
        }
    }

    fn lasting(&self, message: &str) -> String {
        let settings = &self.settings;
        let place = format!("model `{}` at {}", settings.name, settings.address.base_url);
        settings.key.redact(format!("{place} failed: {message}"))
    }
}

impl Provider for Endpoint {
    fn identity(&self, _request: &Request) -> Identity {
        Identity {
            provider: "openai",
            base_url: Some(self.settings.address.base_url.clone()),
            model: self.settings.model.clone(),
            scripted: None,
        }
    }

    fn ask<'a>(&'a self, request: &'a Request, key: &'a str) -> BoxFuture<'a, Asked> {
        self.ask_patiently(request, key).boxed()
    }
}

/// Sets up connections; none is made yet.
fn connect(settings: &EndpointSettings) -> Result<Client, String> {
    static CRYPTOGRAPHY: Once = Once::new();
    CRYPTOGRAPHY.call_once(|| {
        // Fails only when the process has chosen a provider already, which then serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut client = Client::builder()
        .user_agent(concat!("tabjury/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT.min(settings.timeout))
        .pool_max_idle_per_host(settings.concurrency)
        // A redirected POST loses its body; better to say where the endpoint has gone.
        .redirect(redirect::Policy::none());
    if !settings.address.is_encrypted {
        // Nothing to verify: without this the client refuses to be built on a machine without certificates.
        client = client.tls_certs_only([]);
    }
    if settings.address.is_local {
        // A proxy named in the environment cannot reach this machine, or is not meant to.
        client = client.no_proxy();
    }
    client.build().map_err(|error| {
        format!(
            "no HTTPS client can be set up: {}; install the certificates of the system (package `ca-certificates`), or \
             name a file of them in SSL_CERT_FILE",
            chain(&error)
        )
    })
}

/// An error with its causes, which is where HTTP errors say what happened.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}
