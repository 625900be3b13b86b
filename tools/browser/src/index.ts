export { type Chromium, type ChromiumOptions, noChromium, startChromium, type View } from "./chromium.ts";
export {
  assertQuiet,
  assertUsable,
  FOCUSED_TEXT,
  shows,
  tabUntil,
  takePicture,
  viewName,
  views,
  violations,
} from "./page-checks.ts";
export { opening } from "./open-app.ts";
export type { Visit } from "./visit.ts";
