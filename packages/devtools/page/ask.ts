import type { ActionReport, FieldReport } from "../src/messages.ts";
import { byId, element } from "./element.ts";

/** Prompts for the fields of an action; `null` when the dialog is cancelled. */
export const askTexts = ({
  label,
  fields,
}: ActionReport): Promise<Readonly<Record<string, string>> | null> => {
  const dialog = byId("ask") as HTMLDialogElement; // in page.html
  const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, string>> | null>();
  const inputs = fields.map((field) => [field, inputOf(field)] as const);
  const form = element(
    "form",
    { method: "dialog" },
    element("h2", { id: "ask-title" }, label),
    ...inputs.map(([field, input]) => element("label", { for: input.id }, field.label, input)),
    element(
      "div",
      { class: "row-actions" },
      element("button", { value: "go" }, label),
      element("button", { value: "", type: "button", click: () => dialog.close("") }, "Cancel"),
    ),
  );
  const closed = (): void => {
    resolve(
      dialog.returnValue === "go"
        ? Object.fromEntries(inputs.map(([field, input]) => [field.name, input.value]))
        : null,
    );
    form.remove(); // the next dialog may be open already, because the event is asynchronous
  };
  // The form is not submitted: the page's content security policy forbids it.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close("go");
  });
  dialog.addEventListener("close", closed, { once: true });
  dialog.returnValue = "";
  dialog.replaceChildren(form);
  dialog.showModal();
  return promise;
};

const inputOf = ({
  name,
  value,
  options,
}: FieldReport): HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement => {
  const id = `field-${name}`;
  if (options.length > 0) {
    const select = element("select", { id }, ...options.map((option) => element("option", {}, option)));
    if (value !== "") select.value = value;
    return select;
  }
  if (value.includes("\n") || value.startsWith("{")) {
    const area = element("textarea", { id });
    area.value = value;
    return area;
  }
  const input = element("input", { id, autocomplete: "off" });
  input.value = value;
  return input;
};
