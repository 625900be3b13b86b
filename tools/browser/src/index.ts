export { type Chromium, type ChromiumOptions, noChromium, startChromium } from "./chromium.ts";
export type { Visit } from "./visit.ts";
