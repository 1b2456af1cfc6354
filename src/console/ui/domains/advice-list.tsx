import type { Advice } from "./advice.ts";
import { Notice } from "../parts/feedback.tsx";
import type { Domain } from "./model.ts";
import { Guide, Records } from "./record.tsx";

const Item = ({ advice: { tone, title, text, changes, steps, quotes, note, who } }: { advice: Advice }) => (
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
    {who && <p>{who}</p>}
  </Notice>
);

/** What to do about a domain, the most urgent first, and how its DNS provider does it. */
export const AdviceList = ({
  advice,
  guide,
}: {
  advice: readonly Advice[];
  guide: Domain["guide"] | undefined;
}) => (
  <>
    {advice.map((one) => (
      <Item key={one.title} advice={one} />
    ))}
    {guide && advice.some(({ changes }) => changes.length > 0) && <Guide guide={guide} />}
  </>
);
