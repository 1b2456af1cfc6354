import { sendGenerated } from "./generated.ts";

// As many as a run of all tests has time for; test/real sends 1,000.
sendGenerated(400);
