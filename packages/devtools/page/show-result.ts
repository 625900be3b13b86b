import { byId } from "./element.ts";

const SHOWN_MS = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows the result of an action. */
export const showResult = (text: string, isGood: boolean): void => {
  const container = byId("result");
  container.textContent = text;
  container.className = isGood ? "good" : "bad";
  container.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (container.hidden = true), SHOWN_MS);
};
