//! Fields of a page: HAR 1.2, the fields of other recorders, and our own.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::clock::Date;
use crate::Device;
use crate::extension::PageFields;
use crate::lenient::{Ms, Number, empty_if_damaged, lenient};

lenient! {
    /// A page of a HAR.
    #[derive(Clone, Debug, Default, Deserialize)]
    pub(super) struct PageObject {
        started_date_time: Option<Date>,
        #[serde(rename = "pageTimings")]
        pub(super) timings: PageTimings,
        /// The fields of our own recorder; `None` if another one made the recording.
        #[serde(rename = "_pagerace")]
        pub(super) own: Option<PageFields>,
        #[serde(rename = "_domContentLoadedEventStart")]
        content_loaded: Option<Number>,
        #[serde(rename = "_visualMetrics")]
        pub(super) visual: VisualMetrics,
        #[serde(rename = "_firstContentfulPaint")]
        pub(super) first_contentful: Option<Ms>,
        #[serde(rename = "_render")]
        pub(super) render: Option<Ms>,
        #[serde(rename = "_chromeUserTiming.LargestContentfulPaint")]
        pub(super) largest_by_user_timing: Option<Ms>,
        #[serde(rename = "_largestContentfulPaint")]
        pub(super) largest_contentful: Option<Ms>,
        #[serde(rename = "_LargestContentfulPaintType")]
        pub(super) largest_type: Option<String>,
        #[serde(rename = "_SpeedIndex")]
        pub(super) speed_index: Option<Ms>,
        #[serde(rename = "_cpu")]
        pub(super) cpu: PageCpu,
    }
}

lenient! {
    /// `pageTimings`, in milliseconds since the page began.
    #[derive(Clone, Debug, Default, Deserialize)]
    pub(super) struct PageTimings {
        on_content_load: Option<Ms>,
        on_load: Option<Ms>,
        #[serde(rename = "_firstContentfulPaint")]
        pub(super) first_contentful: Option<Ms>,
        #[serde(rename = "_firstPaint")]
        pub(super) first_paint: Option<Ms>,
        #[serde(rename = "_firstVisualChange")]
        pub(super) first_change: Option<Ms>,
        #[serde(rename = "_startRender")]
        pub(super) start_render: Option<Ms>,
        #[serde(rename = "_largestContentfulPaint")]
        pub(super) largest_contentful: Option<Ms>,
    }
}

lenient! {
    /// `_visualMetrics` of browsertime.
    #[derive(Clone, Debug, Default, Deserialize)]
    pub(super) struct VisualMetrics {
        #[serde(rename = "FirstVisualChange")]
        pub(super) first_change: Option<Ms>,
        #[serde(rename = "SpeedIndex")]
        pub(super) speed_index: Option<Ms>,
    }
}

lenient! {
    /// `_cpu` of browsertime.
    #[derive(Clone, Debug, Default, Deserialize)]
    pub(super) struct PageCpu {
        pub(super) urls: Vec<Cost>,
        pub(super) script_costs: Vec<Cost>,
    }
}

lenient! {
    /// Main-thread time of a script.
    #[derive(Clone, Debug, Deserialize)]
    pub(super) struct Cost {
        { pub(super) url: String, }
        value: Option<Ms>,
        total: Option<Ms>,
    }
}

empty_if_damaged!(PageTimings, VisualMetrics, PageCpu);

impl PageObject {
    /// Returns the start of the page, in milliseconds since 1970.
    pub(super) fn start(&self) -> Option<f64> {
        self.started_date_time.map(|date| date.0)
    }

    /// Returns the time of `DOMContentLoaded`, in milliseconds since the page began.
    pub(super) fn content_loaded(&self) -> Option<f64> {
        let recorded = self.timings.on_content_load.map(|ms| ms.0);
        // WebPageTest sets onContentLoad to -1 and records it in another field.
        let other = self.content_loaded.map(|ms| ms.0);
        recorded.or_else(|| other.filter(|ms| *ms > 0.0))
    }

    /// Returns the time of the load event, in milliseconds since the page began.
    pub(super) fn loaded(&self) -> Option<f64> {
        self.timings.on_load.map(|ms| ms.0)
    }

    /// Returns the device that the page was recorded on, if known.
    pub(super) fn device(&self) -> Option<Device> {
        let device = self.own.as_ref()?.device.clone()?;
        let is_screen = |side| (1..=100_000).contains(&side);
        let or_one = |n: f64, most: f64, least: f64| {
            Some(n)
                .filter(|n| (least..=most).contains(n))
                .unwrap_or(1.0)
        };
        (is_screen(device.width) && is_screen(device.height)).then(|| Device {
            scale: or_one(device.scale, 16.0, 0.1),
            cpu: or_one(device.cpu, 100.0, 1.0),
            ..device
        })
    }

    /// Returns the main-thread milliseconds of scripts by URL, as browsertime records them.
    pub(super) fn script_costs(&self) -> BTreeMap<&str, f64> {
        let values = self.cpu.urls.iter().map(|cost| (cost, cost.value));
        let totals = self.cpu.script_costs.iter().map(|cost| (cost, cost.total));
        let costs = values.chain(totals);
        costs
            .filter_map(|(cost, ms)| Some((cost.url.as_str(), ms?.0)))
            .collect()
    }
}
