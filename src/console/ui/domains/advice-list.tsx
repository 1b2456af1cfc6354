import type { Advice } from "./advice.ts";
import { Notice } from "../parts/feedback.tsx";
import { Records } from "./record.tsx";

const Item = ({ advice: { tone, title, text, changes, steps, quotes, note } }: { advice: Advice }) => (
  <Notice tone={tone}>
    <h3>{title}</h3>
    {text && <p>{text}</p>}
    {changes.length > 0 && <Records changes={changes} isTodo />}
    {steps && (
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    )}
    {quotes?.map((quote) => (
      <blockquote key={quote}>{quote}</blockquote>
    ))}
    {note && <p>{note}</p>}
  </Notice>
);

/** What to do about a domain, the most urgent first. */
export const AdviceList = ({ advice }: { advice: readonly Advice[] }) => (
  <>
    {advice.map((one) => (
      <Item key={one.title} advice={one} />
    ))}
  </>
);
