import { byId } from "./element.ts";

const SHOWN_MS = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows the result of an action. */
export const showResult = (text: string, isGood: boolean): void => {
  const place = byId("result");
  place.textContent = text;
  place.className = isGood ? "good" : "bad";
  place.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (place.hidden = true), SHOWN_MS);
};
