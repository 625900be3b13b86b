import { App } from "@framework/core";
import { devtools } from "./devtools.ts";

const app = new (App.with(devtools))();

const url: string | null = app.enableDevtools().enableDevtools({ port: 9000 }).devtoolsUrl;
void url;

// @ts-expect-error the method exists only if the feature is composed
new App().enableDevtools();

// @ts-expect-error a misspelt option
app.enableDevtools({ prot: 9000 });

// @ts-expect-error there is no such fault
app.enableDevtools({ faults: [{ on: "route", fault: "explosion" }] });
