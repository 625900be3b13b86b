/** Key of the stored colour theme, which is set before the page is drawn. Without one the page follows the system. */
const KEY = "theme";
/** `null` if the browser blocks storage: then a choice lasts for one page. */
const storage = ((): Storage | null => {
  try {
    return localStorage;
  } catch {
    return null;
  }
})();
const chosen = storage?.getItem(KEY) ?? null;
if (chosen !== null) document.documentElement.dataset["theme"] = chosen;

const otherTheme = (): string => {
  const current =
    document.documentElement.dataset["theme"] ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  return current === "dark" ? "light" : "dark";
};

document.addEventListener("DOMContentLoaded", () => {
  if (matchMedia("(max-width: 50rem)").matches) document.querySelector(".menu")?.removeAttribute("open");
  const button = document.querySelector<HTMLButtonElement>("#theme");
  if (button === null) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const theme = otherTheme();
    document.documentElement.dataset["theme"] = theme;
    storage?.setItem(KEY, theme);
  });
});

export {};
