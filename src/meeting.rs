//! The flags that say where the workers of a campaign meet.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::store::files::read_text;
use mutagen_campaign::{Error, Sharing};
use mutagen_exchange::{Address, CampaignName, Place, Secret};

use crate::exit_code::{Code, CommandError};

/// Where workers meet.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Several machines")]
pub struct MeetingFlags {
    /// Meets other workers in this directory, on one file system
    #[arg(long, value_name = "DIR", conflicts_with = "hub", global = true)]
    pub sync: Option<PathBuf>,

    /// Meets other workers at this NATS server, such as nats://host:4222 or tls://host:4222
    // Not parsed by clap, which shows what it refuses: somebody may have put a secret into it.
    #[arg(long, value_name = "URL", global = true)]
    pub hub: Option<String>,

    /// The name of the campaign there
    #[arg(long, value_name = "NAME", default_value = CampaignName::DEFAULT, hide_default_value = true, global = true)]
    pub campaign: CampaignName,

    /// A file with what the server asks for: a token on a line, a name and a password on two, or credentials of NATS (`.creds`).
    /// A server on another machine must ask for one
    #[arg(long, value_name = "FILE", global = true)]
    pub hub_secret: Option<PathBuf>,
}

impl MeetingFlags {
    /// Where the workers meet. `None` if they do not.
    pub fn sharing(&self) -> Result<Option<Sharing>, CommandError> {
        let place = match (&self.sync, &self.hub) {
            (Some(directory), _) => Place::Directory(directory.clone()),
            (None, Some(address)) => {
                let address: Address = address.parse().map_err(CommandError::usage)?;
                let secret = self.hub_secret.as_deref().map(secret).transpose()?;
                Place::Hub(address, secret)
            }
            (None, None) => return Ok(None),
        };
        place.require_secret().map_err(|error| CommandError::usage(format!("{error}: --hub-secret FILE")))?;
        Ok(Some(Sharing::new(place, self.campaign.clone())))
    }

    /// Where the workers meet, for a command that is about nothing else.
    pub fn required(&self) -> Result<Sharing, CommandError> {
        let nowhere = || CommandError::usage("name the place of the campaign with --sync DIR or --hub URL");
        self.sharing()?.ok_or_else(nowhere)
    }

    /// The words that name the place.
    pub fn words(&self) -> String {
        let place = match (&self.sync, &self.hub) {
            (Some(directory), _) => format!("--sync {}", directory.display()),
            (None, Some(address)) => format!("--hub {address}"),
            (None, None) => String::new(),
        };
        match self.campaign.as_str() {
            CampaignName::DEFAULT => place,
            name => format!("{place} --campaign {name}"),
        }
    }
}

/// The flags of a campaign that can share what it finds.
#[derive(Args, Debug, Clone)]
pub struct SharingFlags {
    #[command(flatten)]
    pub meeting: MeetingFlags,

    /// Workers of `-j` tell each other what they find
    #[arg(long, conflicts_with_all = ["sync", "hub"], help_heading = "Several machines")]
    pub share: bool,

    /// Runs the mutants of one in N tests of others; their own workers run those of the rest
    #[arg(long, value_name = "N", default_value_t = Sharing::MUTATES_ONE_OF, help_heading = "Several machines")]
    pub mutate_one_of: NonZeroU64,
}

/// Reads a secret. No message shows it.
fn secret(file: &Path) -> Result<Secret, CommandError> {
    let text = read_text(file)?;
    Secret::read(&text).ok_or_else(|| {
        let why =
            "a token stands on one line, a name and a password on two; credentials begin as NATS writes them";
        CommandError::new(Code::Unusable, Error::unusable(file, why))
    })
}
