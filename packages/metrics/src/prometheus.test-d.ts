import { App } from "@framework/core";
import { Registry } from "prom-client";
import { prometheus } from "./index.ts";

const app = new (App.with(prometheus))();

app
  .enablePrometheus()
  .enablePrometheus({ endpoint: "/internal/metrics", namespace: "books", subsystem: "api" })
  .enablePrometheus({ registries: [new Registry()], defaultLabels: { region: "eu" } })
  .get("/", () => "hello");

const plain = app.metrics.counter({ name: "a_total", help: "A." });
plain.inc();
plain.inc(2);
const sold = app.metrics.counter({ name: "b_total", help: "B.", labelNames: ["genre", "gift"] });
sold.inc({ genre: "novel", gift: true });
sold.inc({ genre: "novel", gift: false }, 3);
sold.labels({ genre: "novel", gift: 1 }).inc(2);
app.metrics.gauge({ name: "c", help: "C.", across: "max", read: () => 3 }).set(1);
app.metrics.histogram({ name: "d_seconds", help: "D.", labelNames: ["kind"] }).observe({ kind: "x" }, 0.2);

// @ts-expect-error a metric without labels takes none
plain.inc({ genre: "novel" });

// @ts-expect-error every label needs a value
sold.inc({ genre: "novel" });

// @ts-expect-error a label that the metric does not have
sold.inc({ genre: "novel", gift: true, colour: "red" });

// @ts-expect-error a histogram is observed, not counted
app.metrics.histogram({ name: "e_seconds", help: "E." }).inc();

// @ts-expect-error the method exists only if the feature is composed
new App().enablePrometheus();

// @ts-expect-error a misspelt option
app.enablePrometheus({ name_space: "books" });
