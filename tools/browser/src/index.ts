export { type Chromium, type ChromiumOptions, noChromium, startChromium, type View } from "./chromium.ts";
export {
  assertQuiet,
  assertUsable,
  FOCUSED_TEXT,
  saveScreenshot,
  shows,
  tabUntil,
  viewName,
  views,
  violations,
} from "./page-checks.ts";
export { visitApp } from "./open-app.ts";
export type { Visit } from "./visit.ts";
