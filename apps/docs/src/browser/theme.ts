/** Key of the stored colour theme, which is set before the page is drawn. Without one the page follows the system. */
const KEY = "theme";
const chosen = localStorage.getItem(KEY);
if (chosen !== null) document.documentElement.dataset["theme"] = chosen;

const next = (): string => {
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
    const theme = next();
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem(KEY, theme);
  });
});

export {};
