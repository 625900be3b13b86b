import { nearest } from "../errors/nearest.ts";
import type { Panel, PanelRow } from "../insight/panel.ts";
import type { Feature } from "./feature.ts";

/** The methods that the feature adds to an app. */
export interface PanelProbe {
  /** Returns a published panel. @throws unless there is a panel of that name */
  panel(name: string): ProbedPanel;
}

/** A panel for tests. */
export interface ProbedPanel extends Panel {
  /** Reads its rows. */
  rows(): Promise<readonly PanelRow[]>;
  /** Runs an action, as its button does. @throws if the panel has no such action, or the action throws */
  act(action: string, row?: string | null, texts?: Readonly<Record<string, string>>): Promise<string | void>;
}

/** For tests: reads the panels that features publish, and uses their actions. */
export const panelProbe: Feature<PanelProbe> = {
  name: "panel-probe",
  install: ({ insight }) => ({
    panel(name) {
      const panels = insight.panels();
      const panel = panels.find((each) => each.name === name);
      if (panel === undefined) throw missing("panel", name, panels);
      return {
        ...panel,
        rows: async () => (await panel.read()).rows,
        async act(wanted, row = null, texts = {}) {
          const action = panel.actions?.find((each) => each.name === wanted);
          if (action === undefined) throw missing("action", wanted, panel.actions ?? []);
          return await action.run(row, texts);
        },
      };
    },
  }),
};

const missing = (kind: string, name: string, known: readonly { readonly name: string }[]): Error => {
  const [close] = nearest(
    name,
    known.map((each) => each.name),
  );
  return new Error(`there is no ${kind} "${name}"${close === undefined ? "" : `; did you mean "${close}"?`}`);
};
