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
} from "./look.ts";
export { opening } from "./opening.ts";
export type { Visit } from "./visit.ts";
