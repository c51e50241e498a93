//! The example of the Webfeeds Specification, byte for byte.

/// The index of the specification ("Example Feed Text File").
pub(crate) const INDEX: &str = "# Lines that start with a # sign are considered comments
# Most lines in this URL list will be relative URIs, which
# are relative to the URL of the folder where the feed text
# file was found.

/post-1
/post-2
/post 3

# If the URL is fully-qualified and points to a URL on a
# different domain, this is interpreted by the reader as
# as a repost, and the reader will indicate this within
# it's user interface.

https://www.myfriendsfeed.com/post-a
https://www.myfriendsfeed.com/post-b
";

/// The post of the specification ("Example HTML Post").
pub(crate) const POST: &str = "<!DOCTYPE html>

<!--
The user's name is extracted from the meta author tag.
This would be displayed in the identity area of the feed reader.
-->
<meta name=\"author\" content=\"Elon Musk\">

<!--
The users's bio is extracted from the meta description tag.
This would also be displayed in the identity area of the feed reader.
-->
<meta name=\"description\" content=\"Founder of Tesla, SpaceX, and a few other things.\">

<!--
Avatars for the feed are rendered within the feed reader
by inspected the standard shortcut icon tag.
-->
<link rel=\"icon\" type=\"image/png\" href=\"avatar.png\">

<!--
CSS files can be drawn in, and the styling is applied to
all sections as authors would expect.
-->
<link rel=\"stylesheet\" type=\"text/css\" href=\"style.css\">

<section>
  <p>
   \tThis section is the lead. HTML and CSS content in here will be
\t  cherry picked and displayed on the user's post grid.
  </p>

</section>

<section>
  <p>
    This is another section that is buried. In order to reveal this,
    the user would need to have clicked on the lead in the grid.
  </p>
</section>
";
