import type { Host } from "../feature/host.ts";

declare const host: Host;

const plain = host.insight.histogram({ name: "a_seconds", help: "A." });
plain.observe(1);
// @ts-expect-error a histogram without labels takes none
plain.observe(1, { kind: "x" });

const labelled = host.insight.histogram({ name: "b_seconds", help: "B.", labels: ["kind", "outcome"] });
labelled.observe(1, { kind: "x", outcome: "ok" });
// @ts-expect-error labels are missing
labelled.observe(1);
// @ts-expect-error a label is missing
labelled.observe(1, { kind: "x" });
// @ts-expect-error a label is misspelt
labelled.observe(1, { kind: "x", outcom: "ok" });
// @ts-expect-error label values are strings
labelled.observe(1, { kind: "x", outcome: 1 });

// @ts-expect-error an option that does not exist
host.insight.histogram({ name: "c_seconds", help: "C.", bucket: [1] });
