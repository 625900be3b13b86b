export { type Chromium, type ChromiumOptions, noChromium, startChromium, type View } from "./chromium.ts";
export type { Visit } from "./visit.ts";
