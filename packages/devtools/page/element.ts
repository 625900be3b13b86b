type Child = Node | string;

/** Attributes and listeners of an element; `false` omits an attribute. */
export interface Attributes {
  readonly [name: string]: string | boolean | (() => void);
}

/** Creates an element. Strings become text nodes, so text of a service is never parsed as HTML. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

/** Returns the element of the page with an id. */
export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
};

/** Replaces a text only when it differs, to keep the selection. */
export const setText = (node: Element, text: string): void => {
  if (node.textContent !== text) node.textContent = text;
};
