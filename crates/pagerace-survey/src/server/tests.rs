use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pagerace_core::Rng;

use super::Server;
use crate::analysis::analyse;
use crate::design::Task;
use crate::fake::{self, Manner};
use crate::store::{Step, Store};
use crate::survey::{FILE, FILMS, PLAYER, PLAYER_STYLE, SCENE, Survey};

/// A running server with its folder.
struct Running {
    folder: PathBuf,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(name: &str, survey: &Survey) -> Self {
        let name = format!("pagerace-survey-server-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        write(&folder, survey);
        Self::start(folder)
    }

    fn start(folder: PathBuf) -> Self {
        let server = Server::bind(&folder, SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let (address, stop) = (server.address().unwrap(), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let thread = Some(thread::spawn(move || server.run(&stopped)));
        Self {
            folder,
            address,
            stop,
            thread,
        }
    }

    fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// Sends bytes and returns the response.
    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        // The server may refuse before it has read all.
        let _ = stream.write_all(request.as_bytes());
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        String::from_utf8(response).unwrap()
    }

    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"))
    }

    fn post(&self, path: &str, form: &str) -> String {
        let length = form.len();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{form}"
        ))
    }

    /// Begins as a new person, and returns the page's address.
    fn begin(&self) -> String {
        let response = self.post("/start", "consent=yes");
        let (_, location) = response.split_once("Location: ").expect(&response);
        location.split("\r\n").next().unwrap().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes the folder of a survey.
fn write(folder: &Path, survey: &Survey) {
    fs::create_dir_all(folder.join(FILMS)).unwrap();
    fs::write(folder.join(FILE), serde_json::to_string(survey).unwrap()).unwrap();
    fs::write(folder.join(PLAYER), "// player").unwrap();
    fs::write(folder.join(PLAYER_STYLE), "/* player */").unwrap();
    let films = survey.all_versions().map(|version| version.id.as_str());
    for film in films.chain([SCENE]) {
        let path = folder.join(FILMS).join(format!("{film}.json"));
        fs::write(path, format!("{{\"film\":\"{film}\"}}")).unwrap();
    }
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or("none")
}

/// Takes part as a person with this manner, from the present step to the last.
fn take_part(server: &Running, page: &str, manner: &Manner, rng: &mut Rng, steps: usize) {
    let survey = Survey::read(&server.folder).unwrap();
    for _ in 0..steps {
        let html = server.get(page);
        assert_eq!(status(&html), "200", "{html}");
        let store = Store::open(&server.folder).unwrap();
        let token = page.strip_prefix("/p/").unwrap();
        let at = store.progress(&survey, token).unwrap().unwrap();
        drop(store);
        let Some(asks) = at.step.asks() else { return };
        let task = match &at.step {
            Step::Task(task) => Some(task),
            _ => None,
        };
        let mut form = format!("place={}", at.place);
        for question in survey.asked(asks) {
            assert!(
                html.contains(&format!("name=\"{}\"", question.id)),
                "{html}"
            );
            let value = fake::answer(&survey, &question.answer, task, manner, rng);
            form = format!("{form}&{}={value}", question.id);
        }
        assert_eq!(status(&server.post(page, &form)), "303", "{form}");
    }
}

#[test]
fn several_people_at_once_are_told_apart_and_analysed() {
    let mut survey = fake::survey(3);
    // Scripted people do not wait for films.
    survey.rules.hasty_share_max = 1.0;
    let mut server = Running::new("many", &survey);
    // People begin in one order, which decides what they are shown.
    let pages: Vec<Vec<String>> = (0..6)
        .map(|_| (0..6).map(|_| server.begin()).collect())
        .collect();
    thread::scope(|scope| {
        for (thread, pages) in pages.into_iter().enumerate() {
            let server = &server;
            scope.spawn(move || {
                for (person, page) in (0..).zip(pages) {
                    let mut rng = Rng::new(person, &format!("thread {thread}"));
                    let manner = if person == 5 {
                        Manner::Random
                    } else {
                        Manner::Attentive(vec![0.0, 2.5, 0.0])
                    };
                    take_part(server, &page, &manner, &mut rng, usize::MAX);
                    assert!(server.get(&page).contains("Thank you"));
                }
            });
        }
    });
    server.stop();
    let people = Store::open(&server.folder).unwrap().people().unwrap();
    let findings = analyse(&survey, &people);
    assert_eq!(findings.began, 36);
    assert!((29..=32).contains(&findings.count), "{findings:?}");
    assert_eq!(findings.pairs[0].verdict, crate::analysis::Verdict::PreferB);
    assert_eq!(
        findings.pairs[1].verdict,
        crate::analysis::Verdict::CannotTell
    );
    let mut table = Vec::new();
    crate::csv::write(&survey, &people, &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    let answers: usize = people.iter().map(|person| person.answers.len()).sum();
    assert_eq!(table.lines().count(), answers + 1);
    let fields = table.lines().map(|line| line.split(',').count());
    assert_eq!(fields.min(), Some(11));
}

#[test]
fn a_restart_goes_on_where_it_was() {
    let survey = fake::survey(3);
    let mut server = Running::new("restart", &survey);
    let page = server.begin();
    let mut rng = Rng::new(1, "restart");
    let manner = Manner::Attentive(vec![0.0; 3]);
    take_part(&server, &page, &manner, &mut rng, 4);
    let before = server.get(&page);
    server.stop();
    let folder = server.folder.clone();
    let after = Running::start(folder);
    let again = after.get(&page);
    assert!(again.contains("Step 5 of"), "{again}");
    let form = |html: &str| html.split_once("<form").unwrap().1.to_owned();
    assert_eq!(form(&before), form(&again));
    take_part(&after, &page, &manner, &mut rng, usize::MAX);
    assert!(after.get(&page).contains("Thank you"));
}

#[test]
fn only_answers_that_the_survey_allows_are_kept() {
    let survey = fake::survey(2);
    let server = Running::new("answers", &survey);
    assert_eq!(status(&server.post("/start", "")), "400");
    let page = server.begin();
    let next = |form: &str| status(&server.post(&page, form)).to_owned();
    // Questions about oneself are optional.
    assert_eq!(next("place=0&age=99"), "400");
    assert_eq!(next("place=0&age=-1"), "400");
    assert_eq!(next("place=0"), "303");
    assert!(server.get(&page).contains("Step 2 of"));
    // A form that is sent twice, or too early, changes nothing.
    assert_eq!(next("place=0"), "303");
    assert_eq!(next("place=3&prefer=left"), "303");
    assert!(server.get(&page).contains("Step 2 of"));
    let unmoved = server.post(&page, "place=1&ready=&satisfied=2");
    assert!(unmoved.contains("move the slider"), "{unmoved}");
    for wrong in [
        "ready=999999999",
        "ready=-5",
        "ready=1e3",
        "ready=1500&satisfied=7",
        "ready=1500",
    ] {
        assert_eq!(next(&format!("place=1&{wrong}")), "400", "{wrong}");
    }
    assert_eq!(next("place=1&ready=1500&satisfied=4&colour=blue"), "303");
    let people = Store::open(&server.folder).unwrap().people().unwrap();
    let kept: Vec<(usize, &str)> = people[0]
        .answers
        .keys()
        .map(|(p, q)| (*p, q.as_str()))
        .collect();
    assert_eq!(kept, [(1, "ready"), (1, "satisfied")]);
    let Task::Version(_) = &people[0].tasks[0] else {
        panic!("versions come first");
    };
    let took = people[0].answers[&(1, "ready".to_owned())].took_ms;
    assert!(took.is_some_and(|ms| ms < 60_000), "{took:?}");
}

#[test]
fn abuse_is_refused_and_harms_nobody_else() {
    let mut survey = fake::survey(2);
    survey.limits.people = 3;
    survey.limits.people_per_address_and_hour = 4;
    let server = Running::new("abuse", &survey);
    // Clients that say nothing hold nobody up.
    let idle: Vec<TcpStream> = (0..40)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    assert_eq!(status(&server.get("/")), "200");
    drop(idle);
    let huge = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(40_000));
    assert!(["431", "none"].contains(&status(&server.send(&huge))));
    let large = "POST /start HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n";
    assert_eq!(status(&server.send(large)), "413");
    assert_eq!(status(&server.send("nonsense\r\n\r\n")), "400");
    assert_eq!(status(&server.send("DELETE / HTTP/1.1\r\n\r\n")), "405");
    let places = [
        "/../survey.json",
        "/survey.json",
        "/answers.sqlite",
        "/film/..%2fsurvey",
        "/film/%2e%2e/survey.json",
        "/film/../../survey.json",
        "/film/../answers.sqlite",
        "/film/scene.json",
        "/film/",
        "//etc/passwd",
        "http://elsewhere.example/survey.json",
        "/p/../survey.json",
        "/film/9",
        "/p/00000000000000000000000000000000",
        "/p/short",
    ];
    for path in places {
        assert_eq!(status(&server.get(path)), "404", "{path}");
    }
    assert_eq!(status(&server.get("/film/1")), "200");
    let head = server.send("HEAD / HTTP/1.1\r\n\r\n");
    assert!(
        head.ends_with("\r\n\r\n") && head.contains("Content-Security-Policy"),
        "{head}"
    );
    assert!(!head.to_lowercase().contains("cookie"), "{head}");
    let all: Vec<String> = (0..5)
        .map(|_| status(&server.post("/start", "consent=yes")).to_owned())
        .collect();
    assert_eq!(all, ["303", "303", "303", "503", "429"]);
}

#[test]
fn bodies_of_any_bytes_are_refused_or_read() {
    let survey = fake::survey(2);
    let server = Running::new("bodies", &survey);
    let page = server.begin();
    let many = "a=1&".repeat(4_000);
    for body in [
        "{\"place\": 0",
        "{\"place\": 0, \"age\": 1}",
        "place=00",
        "place=-1",
        "place=18446744073709551616",
        "place=%00%ff%fe&age=%",
        "=&=&&&;",
        &many,
    ] {
        assert_eq!(status(&server.post(&page, body)), "303", "{body}");
    }
    // None of them was an answer to the present step.
    assert!(server.get(&page).contains("Step 1 of"));
    assert_eq!(status(&server.post(&page, "place=0&age=%00%ff")), "400");
    assert_eq!(status(&server.post("/start", "{\"consent\": true}")), "400");
    let raw: &[u8] = b"POST /start HTTP/1.1\r\nContent-Length: 4\r\n\r\n\xff\x00\xfe\x80";
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(raw).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert_eq!(status(&response), "400", "{response}");
}

#[test]
fn slow_clients_are_dropped() {
    let survey = fake::survey(2);
    let server = Running::new("slow", &survey);
    for begin in [
        "GET / HTTP/1.1\r\nA: ",
        "POST /start HTTP/1.1\r\nContent-Length: 9999\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(begin.as_bytes()).unwrap();
        let tick = Duration::from_millis(20);
        stream.set_read_timeout(Some(tick)).unwrap();
        // A byte now and then does not keep the connection.
        let mut ticks = 0..500;
        let is_open =
            |error: &io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        while stream.read(&mut [0]).is_err_and(|error| is_open(&error)) {
            assert!(ticks.next().is_some(), "{begin}");
            let _ = stream.write_all(b"a");
        }
        assert!(ticks.start > 5, "{begin}: {ticks:?}");
    }
}

#[test]
fn connections_of_an_address_are_bounded() {
    let survey = fake::survey(2);
    let server = Running::new("connections", &survey);
    let mut all: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    for stream in &mut all {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n");
    }
    thread::sleep(Duration::from_millis(100));
    let mut whole = 0;
    for mut stream in all {
        let _ = stream.write_all(b"\r\n");
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response);
        whole += usize::from(status(&response) == "200");
    }
    assert!((1..=64).contains(&whole), "{whole}");
    assert_eq!(status(&server.get("/")), "200");
}

#[test]
fn requests_of_an_address_are_limited() {
    let mut survey = fake::survey(2);
    survey.limits.requests_per_address_and_minute = 20;
    let server = Running::new("rate", &survey);
    let all: Vec<String> = (0..30)
        .map(|_| status(&server.get("/")).to_owned())
        .collect();
    assert!(all[..20].iter().all(|one| one == "200"), "{all:?}");
    assert!(
        all.iter().filter(|one| *one == "429").count() > 5,
        "{all:?}"
    );
}
