import { Time } from "../parts/time.tsx";
import type { Event } from "./model.ts";
import { PAGE, actorWords, eventWords } from "./words.ts";

/** The history of a domain, newest first. */
export const Events = ({ history }: { history: readonly Event[] }) => (
  <>
    <h3>{PAGE.history}</h3>
    <ul class="events">
      {history.map((event) => (
        <li key={`${event.at} ${event.event}`}>
          {eventWords(event)}{" "}
          <small>
            <Time at={event.at} />, <bdi>{actorWords(event)}</bdi>
          </small>
          {event.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </li>
      ))}
    </ul>
  </>
);
