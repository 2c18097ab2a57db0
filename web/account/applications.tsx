import { Screen } from '../parts/screen.tsx';
import { Loaded } from './loaded.tsx';
import { useApplications } from './reading.ts';
import { texts } from './texts.ts';

/** The applications that the person may open, with the pictures that administrators chose. */
export function ApplicationsPart() {
  const query = useApplications();
  return (
    <Screen title={texts.applications}>
      <Loaded query={query}>
        {(found) =>
          found.length === 0 ? (
            <p>{texts.noApplications}</p>
          ) : (
            <ul className="applications">
              {found.map(({ id, name, url, logoUri }) => (
                <li key={id}>
                  <a href={url}>
                    {logoUri === null ? (
                      <span className="app-logo" aria-hidden="true">
                        {[...name][0]?.toUpperCase()}
                      </span>
                    ) : (
                      <img className="app-logo" src={logoUri} alt="" />
                    )}
                    <bdi>{name}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Screen>
  );
}
