//! The server of a survey: plain pages, one step of one person on each.
//!
//! A person's page has a random address, which keeps the place without cookies. The server knows
//! the files of the survey and takes the answers that the survey allows, of a bounded number of
//! people; so what is kept is bounded, too.

mod clock;
mod http;
mod limits;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::SurveyError;
use crate::store::{Progress, Store};
use crate::survey::{Answer, FILMS, PLAYER, PLAYER_STYLE, SCENE, Survey};
use clock::Clock;
use http::{NoRequest, Request, Response};
use limits::Gate;

/// Interval between looks for new connections.
const LOOK: Duration = Duration::from_millis(10);
/// Time that open connections have to end when the server stops.
const GRACE: Duration = Duration::from_secs(2);

const SCRIPT: &str = include_str!("../assets/survey.js");
const STYLE: &str = include_str!("../assets/survey.css");

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    survey: Survey,
    /// The survey's own files by path.
    files: BTreeMap<String, Response>,
    store: Mutex<Store>,
    gate: Mutex<Gate>,
    /// The time when each person's present step was first sent, by number of the person.
    sent: Mutex<BTreeMap<u64, (usize, Duration)>>,
    clock: Clock,
}

impl Server {
    /// Reads the survey in `folder`, opens its answers and listens at `address`.
    ///
    /// # Errors
    /// Any [`SurveyError`].
    pub fn bind(folder: &Path, address: SocketAddr) -> Result<Self, SurveyError> {
        let survey = Survey::read(folder)?;
        let files = files(folder, &survey)?;
        let store = Store::open(folder)?;
        let listen = |source| SurveyError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let gate = Mutex::new(Gate::new(survey.limits));
        let shared = Shared {
            survey,
            files,
            store: Mutex::new(store),
            gate,
            sent: Mutex::default(),
            clock: Clock::begin(),
        };
        Ok(Self {
            listener,
            shared: Arc::new(shared),
        })
    }

    /// Returns the address at which the server listens.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns the survey.
    pub fn survey(&self) -> &Survey {
        &self.shared.survey
    }

    /// Serves people until `stop` is true.
    pub fn run(&self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            // A connection that fails before it is accepted concerns nobody else.
            let Ok((stream, from)) = self.listener.accept() else {
                thread::sleep(LOOK);
                continue;
            };
            let from = from.ip();
            let now = self.shared.clock.now();
            if !lock(&self.shared.gate).open(from, now) {
                // There is no thread for it, and no answer is worth waiting for.
                drop(stream);
                continue;
            }
            let visit = Visit {
                shared: Arc::clone(&self.shared),
                from,
            };
            // If there is no thread, the connection is dropped with its visit.
            let _ = thread::Builder::new().spawn(move || visit.serve(stream));
        }
        let end = self.shared.clock.now() + GRACE;
        while Arc::strong_count(&self.shared) > 1 && self.shared.clock.now() < end {
            thread::sleep(LOOK);
        }
    }
}

/// Returns the content of a lock. A thread that panicked has left no half-made state behind:
/// answers are transactions.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the files of a survey that browsers load.
fn files(folder: &Path, survey: &Survey) -> Result<BTreeMap<String, Response>, SurveyError> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|source| SurveyError::Read { path, source })
    };
    let mut style = read(PLAYER_STYLE)?;
    style.extend_from_slice(STYLE.as_bytes());
    let script = "text/javascript; charset=utf-8";
    let mut files = BTreeMap::from([
        (
            "/survey.css".to_owned(),
            Response::file("text/css; charset=utf-8", style),
        ),
        (
            "/survey.js".to_owned(),
            Response::file(script, SCRIPT.into()),
        ),
        (
            "/player.js".to_owned(),
            Response::file(script, read(PLAYER)?),
        ),
    ]);
    let films = survey.all_versions().map(|version| version.id.as_str());
    for name in films.chain([SCENE]) {
        let film = read(&format!("{FILMS}/{name}.json"))?;
        files.insert(
            format!("/film/{name}"),
            Response::file("application/json", film),
        );
    }
    Ok(files)
}

/// A connection of a client.
struct Visit {
    shared: Arc<Shared>,
    from: IpAddr,
}

impl Drop for Visit {
    fn drop(&mut self) {
        lock(&self.shared.gate).close(self.from);
    }
}

impl Visit {
    fn serve(self, mut stream: TcpStream) {
        let clock = &self.shared.clock;
        // Accepted sockets are blocking on Linux, but not everywhere.
        if stream.set_nonblocking(false).is_err() {
            return;
        }
        let (response, head_only) = match http::read(&mut stream, clock) {
            Ok(request) => (self.respond(&request), request.method == "HEAD"),
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Bad(status)) => (page::refused(&self.shared.survey, status), false),
        };
        http::write(&mut stream, clock, &response, head_only);
    }

    fn respond(&self, request: &Request) -> Response {
        let Shared {
            survey,
            files,
            gate,
            clock,
            ..
        } = &*self.shared;
        if !lock(gate).request(self.from, clock.now()) {
            return page::refused(survey, 429);
        }
        let path = request.path.as_str();
        let person = path.strip_prefix("/p/").filter(|token| is_token(token));
        let result = match (request.method.as_str(), path, person) {
            ("GET" | "HEAD", "/", _) => Ok(page::consent(survey, None)),
            ("GET" | "HEAD", _, Some(token)) => self.show(token),
            ("GET" | "HEAD", _, None) => {
                let file = files.get(path).cloned();
                Ok(file.unwrap_or_else(|| page::refused(survey, 404)))
            }
            ("POST", "/start", _) => self.begin(&request.body),
            ("POST", _, Some(token)) => self.answer(token, &request.body),
            ("POST", _, None) => Ok(page::refused(survey, 404)),
            _ => Ok(page::refused(survey, 405)),
        };
        // The disk may be full: the person can try again.
        result.unwrap_or_else(|_| page::refused(survey, 503))
    }

    /// Adds a person who agrees to take part.
    fn begin(&self, form: &[u8]) -> Result<Response, SurveyError> {
        let Shared {
            survey,
            gate,
            store,
            clock,
            ..
        } = &*self.shared;
        if !fields(form).contains_key("consent") {
            let text = "Please tick the box if you want to take part.";
            return Ok(page::consent(survey, Some(text)));
        }
        if !lock(gate).person(self.from, clock.now()) {
            return Ok(page::refused(survey, 429));
        }
        let token = token()?;
        if !lock(store).begin(survey, &token)? {
            return Ok(page::full(survey));
        }
        Ok(Response::to(format!("/p/{token}")))
    }

    /// Shows a person's present step.
    fn show(&self, token: &str) -> Result<Response, SurveyError> {
        let Shared {
            survey,
            store,
            sent,
            clock,
            ..
        } = &*self.shared;
        let Some(at) = lock(store).progress(survey, token)? else {
            return Ok(page::refused(survey, 404));
        };
        let now = (at.place, clock.now());
        let mut sent = lock(sent);
        let first = sent.entry(at.person).or_insert(now);
        if first.0 != at.place {
            *first = now;
        }
        Ok(page::step(survey, token, &at, None))
    }

    /// Keeps a person's answers to the present step.
    fn answer(&self, token: &str, form: &[u8]) -> Result<Response, SurveyError> {
        let Shared {
            survey,
            store,
            sent,
            clock,
            ..
        } = &*self.shared;
        let Some(at) = lock(store).progress(survey, token)? else {
            return Ok(page::refused(survey, 404));
        };
        let fields = fields(form);
        // A form of an earlier step, sent again by a browser's back button, changes nothing.
        if fields.get("place").map(String::as_str) == Some(&at.place.to_string()) {
            let answers = match answers(survey, &at, &fields) {
                Ok(answers) => answers,
                Err(problem) => return Ok(page::step(survey, token, &at, Some(&problem))),
            };
            let first = lock(sent).get(&at.person).copied();
            let first = first.filter(|(place, _)| *place == at.place);
            let took = first.map(|(_, first)| clock.now().saturating_sub(first));
            lock(store).answer(&at, &answers, took)?;
        }
        Ok(Response::to(format!("/p/{token}")))
    }
}

/// Returns an address that nobody guesses: 128 random bits.
fn token() -> Result<String, SurveyError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| SurveyError::Random)?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Reads a form. Of a field that is there twice, the last value counts.
fn fields(form: &[u8]) -> BTreeMap<String, String> {
    url::form_urlencoded::parse(form).into_owned().collect()
}

/// Returns the answers to the questions of a step, or what is wrong with them.
fn answers(
    survey: &Survey,
    at: &Progress,
    fields: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, String> {
    let mut answers = Vec::new();
    let Some(asks) = at.step.asks() else {
        return Ok(answers);
    };
    for question in survey.asked(asks) {
        let value = fields.get(&question.id).filter(|value| !value.is_empty());
        let Some(value) = value else {
            if question.optional {
                continue;
            }
            return Err(match question.answer {
                Answer::Moment => "Please move the slider to choose a moment.".to_owned(),
                _ => format!("Please answer: {}", question.text),
            });
        };
        let is_valid = match &question.answer {
            Answer::Choice { options } | Answer::Scale { options, .. } => value
                .parse()
                .is_ok_and(|index: usize| index < options.len()),
            Answer::Preference => page::PREFERENCES.contains(&value.as_str()),
            Answer::Moment => {
                let longest = survey.all_versions().map(|version| version.length_ms);
                let longest = longest.fold(0.0, f64::max);
                value.parse().is_ok_and(|ms: u32| f64::from(ms) <= longest)
            }
        };
        if !is_valid {
            return Err(format!(
                "Please choose one of the answers: {}",
                question.text
            ));
        }
        answers.push((question.id.clone(), canonical(&question.answer, value)));
    }
    Ok(answers)
}

/// Returns a valid value as it is kept: `+07` is 7.
fn canonical(answer: &Answer, value: &str) -> String {
    match answer {
        Answer::Preference => value.to_owned(),
        _ => value
            .parse::<u32>()
            .map_or_else(|_| value.to_owned(), |n| n.to_string()),
    }
}

#[cfg(test)]
mod tests;
