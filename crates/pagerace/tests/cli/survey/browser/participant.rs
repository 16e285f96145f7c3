//! A participant in a browser.

use std::thread;

use pagerace_chromium::Session;
use pagerace_core::Duration;
use serde_json::{Value, json};

/// Returns what is wrong with a page, apart from what the accessibility tree tells.
const CHECKS: &str = r"(() => {
  const wrong = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) wrong.push(`the page is ${scrollWidth} px wide`);
  for (const control of document.querySelectorAll('button, .option, input[type=range]')) {
    const { width, height } = control.getBoundingClientRect();
    if (height && (height < 43 || width < 43)) wrong.push(`small: ${control.outerHTML}`);
  }
  if (document.title.length < 5) wrong.push('the window has no title');
  return wrong;
})()";

/// Waits until people may answer, and returns how long it is since `began`.
const SEEN: &str = r"new Promise((done) => {
  const look = () => {
    if (document.getElementById('questions').disabled && [...document.querySelectorAll('#films button.player-play')].some((one) => one.ariaLabel === 'Pause')) requestAnimationFrame(look);
    else done(performance.now() - began);
  };
  look();
})";

/// Roles of what people use or look at, which need a name for those who do not see it.
const NAMED: [&str; 6] = ["button", "radio", "checkbox", "slider", "image", "img"];

/// The looks for something that the page is about to do, and the time between two.
const LOOKS: usize = 800;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(25);

/// The longest wait for the end of a film, on a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_secs(120);

/// The device that a participant uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hand {
    Mouse,
    Keys,
}

/// A participant in a browser.
pub(super) struct Participant {
    session: Session,
    hand: Hand,
    address: String,
    pub(super) place: String,
}

impl Participant {
    pub(super) fn new(mut session: Session, hand: Hand, address: &str, place: String) -> Self {
        session.set_timeout(PATIENCE);
        Self {
            session,
            hand,
            address: address.to_owned(),
            place,
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.session.call(method, params);
        answer.unwrap_or_else(|error| panic!("{}: {method}: {error}", self.place))
    }

    fn evaluate(&mut self, script: &str) -> Value {
        let value = self.session.evaluate(script);
        value.unwrap_or_else(|error| panic!("{}: {script}: {error}", self.place))
    }

    /// Waits until an expression is true. Between two pages there is nobody to ask.
    fn wait(&mut self, expression: &str) {
        for _ in 0..LOOKS {
            if matches!(self.session.evaluate(expression), Ok(Value::Bool(true))) {
                return;
            }
            thread::sleep(PAUSE);
        }
        panic!("{}: it takes too long: {expression}", self.place);
    }

    /// Opens the first page.
    pub(super) fn open(&mut self, (width, height): (u32, u32), scheme: &str) {
        for domain in ["Runtime", "Log", "Network", "Accessibility"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        let screen =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", screen);
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", scheme);
        self.call(
            "Emulation.setFocusEmulationEnabled",
            json!({"enabled": true}),
        );
        let url = format!("http://{}/", self.address);
        self.call("Page.navigate", json!({"url": url}));
        self.wait("document.readyState === 'complete' && location.protocol === 'http:'");
    }

    /// Returns the path of the page, without its first slash.
    pub(super) fn path(&mut self) -> String {
        let path = self.evaluate("location.pathname.slice(1)");
        path.as_str().unwrap().to_owned()
    }

    pub(super) fn text(&mut self) -> String {
        let text = self.evaluate("document.querySelector('main').innerText");
        text.as_str().unwrap().to_owned()
    }

    /// Checks a page once its films are there.
    pub(super) fn check(&mut self) {
        self.wait(
            "!document.getElementById('films') || Boolean(document.querySelector('#films canvas[aria-label]'))",
        );
        let wrong = self.evaluate(CHECKS);
        assert_eq!(wrong, json!([]), "{}", self.place);
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        for node in tree["nodes"].as_array().unwrap() {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            let name = node["name"]["value"].as_str().unwrap_or_default();
            if NAMED.contains(&role) && node["ignored"] != true {
                assert!(!name.trim().is_empty(), "{}: no name: {node}", self.place);
            }
        }
        self.accessible();
    }

    /// Lets axe-core look at the page, if it is there.
    fn accessible(&mut self) {
        let Some(axe) = std::env::var_os("PAGERACE_AXE") else {
            return;
        };
        let axe = std::fs::read_to_string(axe).expect("axe.min.js");
        self.evaluate(&format!("{axe}; 0"));
        let run = "axe.run().then((all) => all.violations.map((one) => `${one.id}: ${one.nodes[0].html}`))";
        let found = self.evaluate(run);
        assert_eq!(found, json!([]), "{}", self.place);
    }

    /// Presses a button, or ticks a box.
    pub(super) fn press(&mut self, selector: &str) {
        match self.hand {
            Hand::Mouse => self.click(selector, 0.5),
            Hand::Keys => {
                self.tab_to(selector);
                self.key(" ", 1);
            }
        }
    }

    /// Chooses the answer with this value.
    pub(super) fn choose(&mut self, question: &str, value: &str) {
        let own = format!("input[name=\"{question}\"]");
        let option = format!("{own}[value=\"{value}\"]");
        match self.hand {
            Hand::Mouse => self.click(&option, 0.5),
            Hand::Keys => {
                self.tab_to(&own);
                self.key(" ", 1);
                let count = self.evaluate(&format!("document.querySelectorAll('{own}').length"));
                let mut moves = 0..count.as_u64().unwrap();
                while self.evaluate(&format!("document.querySelector('{option}').checked")) == false
                {
                    assert!(moves.next().is_some(), "{}: {option}", self.place);
                    self.key("ArrowDown", 1);
                }
            }
        }
        let chosen = self.evaluate(&format!("document.querySelector('{option}').checked"));
        assert_eq!(chosen, true, "{}: {option}", self.place);
    }

    /// Moves a slider, and returns the moment.
    pub(super) fn slide(&mut self, question: &str) -> String {
        let slider = format!("#{question}-slider");
        match self.hand {
            Hand::Mouse => self.click(&slider, 0.4),
            Hand::Keys => {
                self.tab_to(&slider);
                self.key("PageUp", 3);
                self.key("ArrowRight", 2);
            }
        }
        let read = format!(
            "[document.querySelector('{slider}').value, document.querySelector('[name={question}]').value, document.querySelector('{slider}').getAttribute('aria-valuetext')]"
        );
        let [shown, sent, told] = [0, 1, 2].map(|i| {
            let all = self.evaluate(&read);
            all[i].as_str().unwrap_or_default().to_owned()
        });
        assert!(
            shown == sent && told.ends_with(" s"),
            "{}: {shown} {sent} {told}",
            self.place
        );
        assert_ne!(shown, "0", "{}", self.place);
        shown
    }

    /// Sends the form, and waits for the next page.
    pub(super) fn go_on(&mut self) {
        self.evaluate("window.isOld = true");
        let button = "main form > button, main form > p > button";
        match self.hand {
            Hand::Mouse => self.click(button, 0.5),
            Hand::Keys => {
                self.tab_to(button);
                self.key("Enter", 1);
            }
        }
        self.wait("!window.isOld && document.readyState === 'complete'");
    }

    /// Watches the films, `carefully` after looks whether anybody can answer without.
    pub(super) fn watch(&mut self, carefully: bool) {
        self.wait("Boolean(document.querySelector('#films button.player-play'))");
        let count = self.evaluate("document.querySelectorAll('#films > li').length");
        let count = count.as_u64().unwrap();
        for film in 1..=count {
            let play = format!("#films > li:nth-child({film}) .player-play");
            if carefully {
                self.is_closed();
            }
            let length = self.evaluate("window.began = performance.now(); Number(document.getElementById('films').dataset.length)");
            self.toggle(&play, "Pause");
            if carefully && film == 1 {
                thread::sleep(PAUSE * 12);
                // A film that was stopped goes on, and no key jumps to its end.
                self.toggle(&play, "Play");
                self.is_closed();
                self.evaluate(&format!("document.querySelector('{play}').focus()"));
                self.key("End", 1);
                self.is_closed();
                self.toggle(&play, "Pause");
            }
            let took = self.evaluate(SEEN);
            let (took, length) = (took.as_f64().unwrap(), length.as_f64().unwrap());
            // Frames are shown at multiples of 17 ms.
            assert!(
                took > length - 20.0,
                "{}: {took} of {length} ms",
                self.place
            );
        }
        let open = self.evaluate("!document.getElementById('questions').disabled && document.getElementById('status').innerText");
        assert_eq!(open, "You can answer now.", "{}", self.place);
        self.check();
    }

    /// Plays or stops a film.
    fn toggle(&mut self, play: &str, then: &str) {
        self.press(play);
        self.wait(&format!(
            "document.querySelector('{play}').ariaLabel === '{then}'"
        ));
    }

    /// Tries to answer, and to go on without.
    fn is_closed(&mut self) {
        if self.hand == Hand::Mouse {
            self.click("#questions input[type=radio]", 0.5);
        }
        let is_chosen = self.evaluate("Boolean(document.querySelector('#questions :checked'))");
        assert_eq!(is_chosen, false, "{}", self.place);
        let button = "main form > button";
        match self.hand {
            Hand::Mouse => self.click(button, 0.5),
            Hand::Keys => {
                self.tab_to(button);
                self.key("Enter", 1);
            }
        }
        self.wait("document.getElementById('status').innerText.startsWith('Please play')");
        let focus = self.evaluate("document.activeElement.className");
        assert_eq!(focus, "player-play", "{}", self.place);
    }

    /// Clicks at this share of the width of the first element that is meant.
    fn click(&mut self, selector: &str, share: f64) {
        let place = self.evaluate(&format!(
            "(() => {{ const one = document.querySelector('{selector}'); one.scrollIntoView({{ block: 'center', behavior: 'instant' }}); const {{ left, top, width, height }} = one.getBoundingClientRect(); return [left + width * {share}, top + height / 2]; }})()"
        ));
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "clickCount": 1, "buttons": buttons,
                "button": if kind == "mouseMoved" { "none" } else { "left" },
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses Tab until the focus is there and can be seen.
    fn tab_to(&mut self, selector: &str) {
        let is_there = format!("document.activeElement.matches('{selector}')");
        for _ in 0..40 {
            if self.evaluate(&is_there) == true {
                let ring = "(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2)(getComputedStyle(document.activeElement))";
                assert_eq!(self.evaluate(ring), true, "{}: {selector}", self.place);
                return;
            }
            self.key("Tab", 1);
        }
        panic!("{}: Tab does not lead to {selector}", self.place);
    }

    fn key(&mut self, key: &str, times: usize) {
        let (code, number, text) = match key {
            " " => ("Space", 32, " "),
            "Enter" => ("Enter", 13, "\r"),
            "Tab" => ("Tab", 9, ""),
            "ArrowDown" => ("ArrowDown", 40, ""),
            "ArrowRight" => ("ArrowRight", 39, ""),
            "PageUp" => ("PageUp", 33, ""),
            "End" => ("End", 35, ""),
            _ => panic!("no such key: {key}"),
        };
        for kind in ["keyDown", "keyUp"].repeat(times) {
            let mut event = json!({
                "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Returns errors of the pages, and requests to others than the survey's server.
    pub(super) fn problems(&mut self) -> Vec<String> {
        let own = [format!("http://{}/", self.address), "data:".to_owned()];
        let mut problems = Vec::new();
        while let Some(event) = self.session.next_event(Duration::ZERO).expect("events") {
            let params = &event.params;
            let url = params["request"]["url"].as_str().unwrap_or_default();
            match event.method.as_str() {
                "Runtime.exceptionThrown" => problems.push(params["exceptionDetails"].to_string()),
                "Log.entryAdded" if params["entry"]["level"] == "error" => {
                    problems.push(params["entry"].to_string());
                }
                "Network.requestWillBeSent" if !own.iter().any(|own| url.starts_with(own)) => {
                    problems.push(format!("a request: {url}"));
                }
                _ => {}
            }
        }
        problems
    }
}
