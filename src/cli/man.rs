//! `tabjury man`: one manual page with every subcommand, in roff.

use clap::CommandFactory;
use clap_mangen::Man;

use super::arguments::Arguments;
use super::exit::{Exit, Failure};
use super::printer::Printer;

/// Runs the command.
pub(super) fn run(printer: &Printer) -> Result<Exit, Failure> {
    let page = render().map_err(|error| Failure::new(Exit::Other, error, super::REPORT_DEFECT))?;
    printer.data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Success)
}

/// The main page, then synopsis and options of each subcommand under a heading of their own.
fn render() -> std::io::Result<Vec<u8>> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    let main = Man::new(command.clone());
    main.render_title(&mut page)?;
    main.render_name_section(&mut page)?;
    main.render_synopsis_section(&mut page)?;
    main.render_description_section(&mut page)?;
    for subcommand in command.get_subcommands() {
        let man = Man::new(subcommand.clone());
        let name = subcommand.get_name().to_uppercase();
        page.extend_from_slice(format!(".SH \"TABJURY {name}\"\n").as_bytes());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        page.extend_from_slice(section.as_bytes());
    }
    main.render_extra_section(&mut page)?;
    main.render_version_section(&mut page)?;
    Ok(page)
}
