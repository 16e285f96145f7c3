//! Films of loads: what a page looks like at each time.
//!
//! The parts of a page with a recorded layout are its elements, where they are when the page is
//! complete. Parts that a load never paints although the pictures show them, such as images of
//! frames, appear with their file, or with the first paint. Those of a page without a layout are
//! boxes of the sizes that the browser model assumes, side by side.

use pagerace_core::Instant;
use pagerace_page::timeline::{Paint, Part, ResourceTiming};
use pagerace_page::{
    Element, ElementKind, ImageCoding, LargestElement, Page, PageLayout, Pictures, Rect, Resource,
    ResourceId,
};
use pagerace_report::film::{Film, FilmRun, PartKind, Scene, ScenePart, ScenePictures, Shot, Show};
use pagerace_report::input::LargestElementName;
use pagerace_sim::Outcome;

use crate::detail::{Choice, median_runs, record};
use crate::error::LabError;
use crate::plan::Plan;
use crate::results::Results;
use crate::runner::{OnProgress, Runner};

/// Viewport of pages without a layout, which the browser model assumes: Lighthouse's desktop screen.
const VIEWPORT: (u32, u32) = (1350, 940);
/// Space around an assumed part, CSS pixels.
const MARGIN: f32 = 6.0;
/// Least area of an assumed part, square CSS pixels.
const AREA_MIN: u32 = 200;
/// Longest name of a part.
const NAME_MAX: usize = 40;

/// The facts of a load that its film needs.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// Paints in order of time.
    pub paints: &'a [Paint],
    /// Timings of the page's resources.
    pub timings: &'a [Option<ResourceTiming>],
}

/// A scene, and the parts that each paint stands for.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The scene.
    pub scene: Scene,
    /// The content of each part of the scene.
    shown: Vec<Part>,
    /// Fonts of each part.
    fonts: Vec<Vec<ResourceId>>,
}

impl<'a> Load<'a> {
    /// Returns the facts of an outcome; it has paints only if it was recorded with a trace.
    pub fn of(outcome: &'a Outcome) -> Self {
        let paints = outcome.trace.as_ref().map(|trace| &*trace.paints);
        Self {
            paints: paints.unwrap_or_default(),
            timings: &outcome.resources,
        }
    }
}

/// A load in a browser.
#[derive(Clone, Debug)]
pub struct LiveLoad {
    /// Its metrics and timings.
    pub outcome: Outcome,
    /// Its screenshots in order of time.
    pub shots: Vec<Shot>,
    /// Its prediction: a simulated load with a trace.
    pub predicted: Option<Outcome>,
}

/// Returns the film of a page's loads, each with its name. They must have been recorded with a
/// trace.
pub fn film(page: &Page, loads: &[(String, Outcome)]) -> Film {
    let told: Vec<Load<'_>> = loads.iter().map(|(_, outcome)| Load::of(outcome)).collect();
    let stage = Stage::new(page, &told);
    let runs = loads.iter();
    let runs = runs.map(|(name, outcome)| stage.run(name.clone(), outcome));
    Film {
        runs: runs.collect(),
        scene: stage.scene,
    }
}

/// Returns the film of a page's loads in a browser, each with its name, and beside each its
/// prediction.
pub fn live_film(page: &Page, loads: Vec<(String, LiveLoad)>) -> Film {
    let predicted = loads.iter().filter_map(|(_, load)| load.predicted.as_ref());
    let told: Vec<Load<'_>> = predicted.map(Load::of).collect();
    let stage = Stage::new(page, &told);
    let beside = |(name, load): (String, LiveLoad)| {
        let live = FilmRun {
            shots: load.shots,
            ..stage.run(format!("{name}: live"), &load.outcome)
        };
        let predicted = load.predicted;
        let predicted = predicted.map(|outcome| stage.run(predicted_name(&name), &outcome));
        [live].into_iter().chain(predicted)
    };
    Film {
        runs: loads.into_iter().flat_map(beside).collect(),
        scene: stage.scene,
    }
}

/// Returns the name of the prediction of a live load.
pub(crate) fn predicted_name(name: &str) -> String {
    format!("{name}: predicted")
}

/// Returns the film of the median loads of a race's first page. Their names are those of the
/// contenders, after that of the network if there are several.
///
/// # Errors
/// [`LabError::Scenario`] or [`LabError::Interrupted`], as in a race.
pub fn median_film(
    results: &Results,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<Film, LabError> {
    let of_first = |choice: &Choice| results.plan.variant_parts(choice.variant).0 == 0;
    let choices: Vec<Choice> = median_runs(results).into_iter().filter(of_first).collect();
    film_of(results, &choices, jobs, runner, progress)
}

/// Returns the film of these runs, all of one page, which are repeated.
///
/// # Errors
/// As [`median_film`].
pub fn film_of(
    results: &Results,
    choices: &[Choice],
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<Film, LabError> {
    let plan = &results.plan;
    let keep = |choice: Choice, outcome: Outcome| (name(plan, choice), outcome);
    let loads = record(results, choices, jobs, runner, progress, &keep)?;
    let page = choices
        .first()
        .map_or(0, |choice| plan.variant_parts(choice.variant).0);
    Ok(film(&plan.pages[page], &loads))
}

/// Returns the name of a run in the film of a page: its contender, after the network if there are
/// several.
pub fn name(plan: &Plan, choice: Choice) -> String {
    let (_, network, contender) = plan.variant_parts(choice.variant);
    match plan.networks.as_slice() {
        [_] => plan.label(contender),
        networks => format!("{}: {}", networks[network].name, plan.label(contender)),
    }
}

/// Returns the marks of a load's first and largest paint.
fn marks(outcome: &Outcome) -> Vec<(String, f64)> {
    let marks = [("fcp", outcome.load.fcp), ("lcp", outcome.load.lcp)];
    let marks = marks.into_iter();
    marks
        .filter_map(|(name, at)| Some((name.to_owned(), at?.as_millis_f64())))
        .collect()
}

/// Returns visual progress in milliseconds and per cent.
fn progress(points: &[(Instant, f64)]) -> Vec<(f64, f64)> {
    let points = points.iter();
    points
        .map(|(at, share)| (ms(*at), (share * 1000.0).round() / 10.0))
        .collect()
}

fn ms(at: Instant) -> f64 {
    at.since(Instant::ZERO).as_millis_f64()
}

impl Stage {
    /// Returns the scene of a page that was loaded so.
    pub fn new(page: &Page, loads: &[Load<'_>]) -> Self {
        let mut stage = match page.layout() {
            Some(layout) => Self::recorded(page, layout),
            None => Self::assumed(page, loads),
        };
        stage.scene.largest = largest(page).and_then(|largest| stage.part(largest));
        stage
    }

    fn recorded(page: &Page, layout: &PageLayout) -> Self {
        let count = layout.pictures.as_ref().map(|pictures| pictures.elements);
        let lasting = count.unwrap_or(layout.elements.len());
        let elements = layout.elements.iter().take(lasting).enumerate();
        let visible = elements.filter(|(_, e)| e.rect.visible_area(layout.viewport) > 0.0);
        let mut stage = Self {
            scene: Scene {
                viewport: layout.viewport,
                pictures: layout.pictures.as_deref().map(pictures),
                guessed: false,
                parts: Vec::new(),
                largest: None,
            },
            shown: Vec::new(),
            fonts: Vec::new(),
        };
        for (number, element) in visible {
            let (kind, shown, name) = kind(page, number, element);
            let fonts = match &element.kind {
                ElementKind::Text { fonts } => fonts.clone(),
                _ => Vec::new(),
            };
            stage.add(kind, element.rect, name, shown, fonts);
        }
        stage
    }

    /// Places the parts that the browser model assumes.
    fn assumed(page: &Page, loads: &[Load<'_>]) -> Self {
        let mut areas: Vec<(Part, u32)> = Vec::new();
        for load in loads {
            let mut own: Vec<(Part, u32)> = Vec::new();
            for paint in load.paints {
                match own.iter_mut().find(|(part, _)| *part == paint.part) {
                    Some((_, area)) => *area += paint.area,
                    None => own.push((paint.part, paint.area)),
                }
            }
            for (part, area) in own {
                match areas.iter_mut().find(|(known, _)| *known == part) {
                    Some((_, known)) => *known = area.max(*known),
                    None => areas.push((part, area)),
                }
            }
        }
        areas.retain(|(_, area)| *area >= AREA_MIN);
        areas.sort_by_key(|(part, _)| *part);
        let all: f32 = areas.iter().map(|(_, area)| *area as f32).sum();
        let (width, height) = (VIEWPORT.0 as f32, VIEWPORT.1 as f32);
        let room = Rect {
            width,
            height: height.min(all / width),
            ..Rect::default()
        };
        let mut stage = Self {
            scene: Scene {
                viewport: VIEWPORT,
                pictures: None,
                guessed: true,
                parts: Vec::new(),
                largest: None,
            },
            shown: Vec::new(),
            fonts: Vec::new(),
        };
        for (part, place) in places(&areas, room) {
            let (kind, name) = match part {
                Part::Block(_) => (PartKind::Text, String::new()),
                Part::Image(id) => image(&page.resources[id.index()]),
            };
            let inner = Rect {
                x: place.x + MARGIN,
                y: place.y + MARGIN,
                width: (place.width - 2.0 * MARGIN).max(2.0),
                height: (place.height - 2.0 * MARGIN).max(2.0),
            };
            stage.add(kind, inner, name, part, Vec::new());
        }
        stage
    }

    fn add(
        &mut self,
        kind: PartKind,
        rect: Rect,
        name: String,
        shown: Part,
        fonts: Vec<ResourceId>,
    ) {
        // Parts are cut to the viewport: what is outside costs bytes and shows nothing.
        let (width, height) = self.scene.viewport;
        let within = |from: f32, length: f32, end: u32| {
            let begin = from.floor().max(0.0) as i32;
            let end = (from + length).ceil().min(end as f32) as i32;
            (begin, (end - begin).max(1))
        };
        let (x, w) = within(rect.x, rect.width, width);
        let (y, h) = within(rect.y, rect.height, height);
        self.scene.parts.push(ScenePart {
            kind,
            place: [x, y, w, h],
            name,
        });
        self.shown.push(shown);
        self.fonts.push(fonts);
    }

    /// Returns the largest part of the scene that shows this.
    fn part(&self, shown: Part) -> Option<usize> {
        let area = |part: &usize| {
            let [_, _, width, height] = self.scene.parts[*part].place;
            width * height
        };
        let parts = (0..self.shown.len()).filter(|part| self.shown[*part] == shown);
        parts.max_by_key(area)
    }

    /// Returns the largest element of the page, if the recording tells.
    pub fn largest(&self, page: &Page) -> Option<LargestElementName> {
        let largest = largest(page)?;
        let size = self.scene.largest.filter(|_| !self.scene.guessed);
        let size = size.map_or_else(String::new, |part| {
            let [_, _, width, height] = self.scene.parts[part].place;
            format!(", {width} x {height} pixels")
        });
        let (what, resource) = match largest {
            Part::Image(id) => {
                let name = image_name(&page.resources[id.index()]);
                (format!("the image {name}"), Some(id.index()))
            }
            Part::Block(_) => ("a text".to_owned(), None),
        };
        Some(LargestElementName {
            name: what + &size,
            resource,
        })
    }

    /// Returns a load of this page under a name.
    pub fn run(&self, name: String, outcome: &Outcome) -> FilmRun {
        FilmRun {
            name,
            marks: marks(outcome),
            progress: progress(&outcome.visual_progress),
            shows: self.shows(Load::of(outcome)),
            shots: Vec::new(),
        }
    }

    /// Returns the changes of the picture in a load.
    pub fn shows(&self, load: Load<'_>) -> Vec<Show> {
        let Some(first) = load.paints.first() else {
            return Vec::new();
        };
        let end = |id: ResourceId| {
            let timing = load.timings.get(id.index())?.as_ref()?;
            Some(timing.response_end())
        };
        let mut shows = Vec::new();
        for (part, shown) in self.shown.iter().enumerate() {
            let mut paints = load.paints.iter().filter(|p| p.part == *shown).peekable();
            if paints.peek().is_none() && !self.scene.guessed {
                let at = match shown {
                    Part::Image(id) => end(*id).filter(|at| *at > first.at),
                    Part::Block(_) => None,
                };
                shows.push((at.unwrap_or(first.at), part, 100));
                continue;
            }
            let mut level = 0;
            for paint in paints {
                // The first rows of an image are less than a per cent of it.
                let rows = (paint.rows / 10).max(1) as u8;
                if rows > level {
                    level = rows;
                    shows.push((paint.at, part, level));
                }
            }
            let fonts = self.fonts[part].iter().filter_map(|font| end(*font));
            if let (Some(font), Some(last)) = (fonts.max(), shows.last_mut())
                && last.1 == part
                && font > last.0
            {
                last.2 = Show::FALLBACK;
                shows.push((font, part, 100));
            }
        }
        shows.sort_by_key(|(at, part, _)| (*at, *part));
        let show = |(at, part, level)| Show {
            ms: ms(at),
            part,
            level,
        };
        shows.into_iter().map(show).collect()
    }
}

/// Returns the largest element of the page. Without a layout, it is not known which block of text
/// is.
fn largest(page: &Page) -> Option<Part> {
    let Some(layout) = page.layout() else {
        let guess = page.guess()?;
        let fitted = guess.fit.and_then(|fit| fit.largest);
        let probable = || guess.candidates.first().map(|candidate| candidate.element);
        return match fitted.or_else(probable)? {
            LargestElement::Image { id } => Some(Part::Image(id)),
            LargestElement::Text => Some(Part::Block(u32::MAX)),
        };
    };
    let largest = layout.largest?;
    let text = largest.text.map(|number| Part::Block(number as u32));
    largest.image.map(Part::Image).or(text)
}

fn pictures(own: &Pictures) -> ScenePictures {
    ScenePictures {
        whole: own.whole.clone(),
        textless: own.textless.clone(),
        imageless: own.imageless.clone(),
        bare: own.bare.clone(),
        canvas: own.canvas.clone(),
    }
}

/// Returns the kind of an element, the paints that show it, and its name.
fn kind(page: &Page, number: usize, element: &Element) -> (PartKind, Part, String) {
    match &element.kind {
        ElementKind::Image { resource } | ElementKind::Background { resource } => {
            let (kind, name) = image(&page.resources[resource.index()]);
            (kind, Part::Image(*resource), name)
        }
        ElementKind::Text { .. } => (PartKind::Text, Part::Block(number as u32), String::new()),
        ElementKind::Other => (PartKind::Box, Part::Block(number as u32), String::new()),
    }
}

/// Returns the kind and the name of an image.
fn image(resource: &Resource) -> (PartKind, String) {
    let kind = match resource.image.coding {
        ImageCoding::Progressive => PartKind::ProgressiveImage,
        _ => PartKind::Image,
    };
    (kind, image_name(resource))
}

/// Returns the name of a resource's file.
fn image_name(resource: &Resource) -> String {
    let path = resource.url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.chars().take(NAME_MAX).collect()
}

/// Divides a rectangle among parts by their areas: along its longer side into two halves, and each
/// of them in turn.
fn places(areas: &[(Part, u32)], room: Rect) -> Vec<(Part, Rect)> {
    match areas {
        [] => return Vec::new(),
        [(part, _)] => return vec![(*part, room)],
        _ => {}
    }
    let all: f32 = areas.iter().map(|(_, area)| *area as f32).sum();
    let mut sum = 0.0;
    let half = areas.iter().position(|(_, area)| {
        sum += *area as f32;
        sum >= all / 2.0
    });
    let split = half.map_or(1, |half| (half + 1).min(areas.len() - 1));
    let (one, two) = areas.split_at(split);
    let share = one.iter().map(|(_, area)| *area as f32).sum::<f32>() / all;
    let (mut first, mut second) = (room, room);
    if room.width >= room.height {
        first.width *= share;
        second.x += first.width;
        second.width -= first.width;
    } else {
        first.height *= share;
        second.y += first.height;
        second.height -= first.height;
    }
    let mut all = places(one, first);
    all.extend(places(two, second));
    all
}

#[cfg(test)]
mod tests;
